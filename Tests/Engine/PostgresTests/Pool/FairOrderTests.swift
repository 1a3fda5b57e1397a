import Testing

@testable import SwiftletPostgres

@Suite struct FairOrderTests {
    /// Serves what has the lowest start, for so long, and tells how much time each flow has had.
    private func serve(
        _ order: inout FairOrder<String>,
        _ calls: [FairOrder<String>.Turn],
        for time: Int64
    ) -> [String: Int64] {
        var had: [String: Int64] = [:]
        var total: Int64 = 0
        for turn in calls.sorted(by: { $0.start < $1.start }) where total < time {
            order.serve(turn)
            had[turn.flow, default: 0] += turn.cost
            total += turn.cost
        }
        return had
    }

    @Test func `flows have equal time, whatever their calls cost and however many they are`() {
        var order = FairOrder<String>()
        var calls: [FairOrder<String>.Turn] = []
        for _ in 0..<900 { calls.append(order.enter("many", cost: 10)) }
        for _ in 0..<90 { calls.append(order.enter("dear", cost: 100)) }
        for _ in 0..<300 { calls.append(order.enter("cheap", cost: 5)) }
        let had = serve(&order, calls, for: 3000)
        for (flow, time) in had { #expect((900...1100).contains(time), "\(flow): \(time)") }
    }

    @Test func `who has waited for nothing comes next, and gets nothing for the time before`() {
        var order = FairOrder<String>()
        let calls = (0..<100).map { _ in order.enter("a", cost: 10) }
        _ = serve(&order, calls, for: 500)
        let first = order.enter("b", cost: 10)
        #expect(first.start == 490, "as far as the order is")
        #expect(order.enter("b", cost: 10).start == 500)
        #expect(order.enter("a", cost: 10).start == 1000)
    }

    @Test func `nobody is charged for what was not served`() {
        var order = FairOrder<String>()
        _ = order.enter("a", cost: 10)
        let dropped = order.enter("a", cost: 50)
        order.withdraw(dropped)
        #expect(order.enter("a", cost: 10).start == 10)
    }

    @Test func `what comes once more is not charged again`() {
        var order = FairOrder<String>()
        for _ in 0..<3 { order.serve(order.enter("a", cost: 10)) }
        #expect(order.reenter("a").start == 20)
        #expect(order.enter("a", cost: 10).start == 30)
    }
}
