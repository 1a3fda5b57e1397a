import Testing

@testable import SwiftletPostgres

@Suite struct WaitQueueTests {
    @Test func `serves first come, first served, and keeps the order of those who stay`() {
        let queue = WaitQueue<Int>()
        for number in 0..<2000 { queue.append(number) }
        let served = (0..<1500).map { _ in queue.removeFirst() }
        #expect(served == Array(0..<1500))
        #expect(queue.count == 500)
        let even = queue.remove { $0 % 2 == 0 }
        #expect(even.count == 250)
        #expect(queue.first == 1501)
        let picked = queue.removeFirst { $0 == 1701 }
        #expect(picked == 1701)
        let rest = queue.removeAll()
        #expect(rest == (1500..<2000).filter { $0 % 2 == 1 && $0 != 1701 })
        #expect(queue.isEmpty)
        let none = queue.removeFirst()
        #expect(none == nil)
    }
}
