import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

@Suite struct StatementHistoryTests {
    private func call(_ statements: Statement...) -> PendingQuery {
        PendingQuery(
            statements[0],
            .none,
            others: statements.dropFirst().map { PendingQuery.Part(statement: $0, parameters: .none) },
            deadline: .distantFuture
        )
    }

    private let statement = Statement("SELECT 1", isReadOnly: true)

    private func history(_ samples: [Int64], wasPrepared: Bool = false) -> StatementHistory {
        var history = StatementHistory()
        history.admit(statement)
        for sample in samples {
            history.record([Int32(statement.tableIndex)], nanoseconds: sample, wasPrepared: wasPrepared)
        }
        return history
    }

    @Test func `what never ran is unknown`() {
        #expect(StatementHistory().workload(of: call(statement)) == .lease(isSlow: false))
        #expect(history([]).workload(of: call(statement)) == .lease(isSlow: false))
    }

    @Test(arguments: [
        (Int64(10_000), Workload.point), (500_000, .heavy), (2_000_000_000, .lease(isSlow: true)), (0, .point),
        (-5, .point),
    ])
    func `one run alone says what it is`(nanoseconds: Int64, expected: Workload) {
        #expect(history([nanoseconds]).workload(of: call(statement)) == expected)
    }

    @Test func `a first run with its preparation is judged kindly, unless it was really slow`() {
        #expect(history([3_000_000], wasPrepared: true).workload(of: call(statement)) == .point)
        #expect(history([300_000_000], wasPrepared: true).workload(of: call(statement)) == .lease(isSlow: true))
    }

    @Test func `a hiccup is forgiven, a change is believed`() {
        let steady = Array(repeating: Int64(10_000), count: 20)
        #expect(history(steady + [300_000]).workload(of: call(statement)) == .point)
        #expect(history(steady + [2_000_000_000]).workload(of: call(statement)) == .lease(isSlow: true))
        let recovered = steady + [2_000_000_000] + Array(repeating: 10_000, count: 40)
        #expect(history(recovered).workload(of: call(statement)) == .point)
    }

    /// Else a burst of lists would put the reads by id behind itself.
    @Test func `a point read stays one while the processor is taken, and becomes a page in the end`() {
        let steady = Array(repeating: Int64(40_000), count: 80)
        let busy = Array(repeating: Int64(4_000_000), count: 60)
        #expect(history(steady + busy).workload(of: call(statement)) == .point)
        #expect(history(steady + busy + busy).workload(of: call(statement)) == .heavy)
        #expect(history(Array(busy.prefix(1))).workload(of: call(statement)) == .heavy)
    }

    @Test func `what was cancelled early is not believed to be fast`() {
        var history = history([2_000_000_000])
        for _ in 0..<40 {
            history.record([Int32(statement.tableIndex)], nanoseconds: 10_000, wasPrepared: false, wasCutShort: true)
        }
        #expect(history.workload(of: call(statement)) == .lease(isSlow: true))
    }

    @Test func `what timed out took at least that long`() {
        var history = history([10_000])
        history.record([Int32(statement.tableIndex)], nanoseconds: 2_000_000_000, wasPrepared: false, wasCutShort: true)
        #expect(history.workload(of: call(statement)) == .lease(isSlow: true))
    }

    @Test func `one slow statement does not make its neighbors slow`() {
        let other = Statement("SELECT 2", isReadOnly: true)
        var history = history([10_000])
        history.admit(other)
        history.record([Int32(other.tableIndex)], nanoseconds: 5_000_000, wasPrepared: false)
        let batch = Array(repeating: Int32(statement.tableIndex), count: 30) + [Int32(other.tableIndex)]
        history.record(batch, nanoseconds: 2_000_000_000, wasPrepared: false)
        #expect(history.workload(of: call(statement)) == .point)
        #expect(history.workload(of: call(other)) != .point)
    }

    @Test func `a call is as heavy as everything in it`() {
        var history = history([40_000])
        let other = Statement("SELECT 2", isReadOnly: true)
        #expect(history.workload(of: call(statement, other)) == .lease(isSlow: false))
        history.admit(other)
        history.record([Int32(other.tableIndex)], nanoseconds: 40_000, wasPrepared: false)
        #expect(history.workload(of: call(other)) == .point)
        #expect(history.workload(of: call(statement, other)) == .heavy)
    }
}
