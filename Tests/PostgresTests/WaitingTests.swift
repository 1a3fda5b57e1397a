import EventLoop
import Testing

@testable import Postgres

@Suite struct WaitingTests {
    @Test func `a line is first come, first served`() {
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
        #expect(rest.count == 249)
        #expect(line.isEmpty)
        let none = line.removeFirst()
        #expect(none == nil)
    }

    @Test func `a ring keeps its order while it grows`() {
        var ring = PipelineRing(capacity: 4)
        var expected: [UInt32] = []
        for number in 0..<100 as Range<UInt32> {
            ring.append(PipelineRing.Entry(kind: .execute, part: number))
            expected.append(number)
            guard number % 3 == 0 else { continue }
            let removed = ring.removeFirst()?.part
            #expect(removed == expected.removeFirst())
        }
        #expect(ring.count == expected.count)
        #expect(ring[2]?.part == expected[2])
        while let entry = ring.removeFirst() { #expect(entry.part == expected.removeFirst()) }
        #expect(ring.first == nil)
    }

    @Test func `waits between attempts grow to little more than a second`() {
        var backoff = Backoff()
        let waits = (0..<10).map { _ in backoff.next(chance: 0) }
        #expect(waits == [0, 50, 100, 200, 400, 800, 1000, 1000, 1000, 1000].map { .milliseconds($0) })
        #expect(backoff.next(chance: 1) == .milliseconds(1250))
        backoff.reset()
        #expect(backoff.next(chance: 1) == .milliseconds(10))
    }

    @Test func `of what is asked twice there is an end`() {
        var budget = RepeatBudget()
        var count = 0
        while budget.spend() { count += 1 }
        #expect(count == 256)
        for _ in 0..<40 { budget.earn() }
        let further = (0..<3).map { _ in budget.spend() }
        #expect(further == [true, true, false])
    }
}
