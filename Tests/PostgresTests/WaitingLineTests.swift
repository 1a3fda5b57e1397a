import Testing

@testable import Postgres

@Suite struct WaitingLineTests {
    @Test func `serves first come, first served, and keeps the order of those who stay`() {
        let line = WaitingLine<Int>()
        for number in 0..<2000 { line.append(number) }
        let served = (0..<1500).map { _ in line.removeFirst() }
        #expect(served == Array(0..<1500))
        #expect(line.count == 500)
        let even = line.remove { $0 % 2 == 0 }
        #expect(even.count == 250)
        #expect(line.first == 1501)
        let picked = line.removeFirst { $0 == 1701 }
        #expect(picked == 1701)
        let rest = line.removeAll()
        #expect(rest == (1500..<2000).filter { $0 % 2 == 1 && $0 != 1701 })
        #expect(line.isEmpty)
        let none = line.removeFirst()
        #expect(none == nil)
    }
}
