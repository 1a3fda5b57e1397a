import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

@Suite struct ConnectFailuresTests {
    /// Notes a failure of the first of two loops with four connections each; a short form of what is reported.
    private func note(_ failures: inout ConnectFailures, _ reason: String, up: Int, second: Int64) -> String? {
        let now = LoopInstant(nanoseconds: second * 1_000_000_000)
        switch failures.note(reason, loop: 0, up: up, wanted: 4, at: now) {
        case .connectionFailed(loop: 0, let reason): return "out: \(reason)"
        case .connectionsMissing(loop: 0, let up, wanted: 4, let reason): return "\(up) of 4: \(reason)"
        case nil: return nil
        default: return "?"
        }
    }

    @Test func `during an outage each reason is reported once, and again in the next`() {
        var failures = ConnectFailures()
        var told: [String?] = []
        for reason in ["refused", "refused", "starting", "refused"] {
            told.append(note(&failures, reason, up: 0, second: 1))
        }
        #expect(told == ["out: refused", nil, "out: starting", nil])
        failures.serverIsBack()
        let again = note(&failures, "refused", up: 0, second: 2)
        #expect(again == "out: refused")
    }

    @Test func `connections that stay missing while others are up are reported once until all are up`() {
        var failures = ConnectFailures()
        var told: [String?] = []
        for second in [0, 1, 5, 6, 7, 60] as [Int64] {
            told.append(note(&failures, "too many", up: 2, second: second))
        }
        #expect(told == [nil, nil, nil, "2 of 4: too many", nil, nil])
        failures.allAreUp()
        told = []
        for second in [100, 106] as [Int64] { told.append(note(&failures, "too many", up: 3, second: second)) }
        #expect(told == [nil, "3 of 4: too many"])
    }

    @Test func `what fails for the moment of a restart is not missing`() {
        var failures = ConnectFailures()
        var told: [String?] = []
        for (up, second) in [(3, 0), (0, 1), (2, 10), (2, 14)] as [(Int, Int64)] {
            told.append(note(&failures, "shutting down", up: up, second: second))
        }
        #expect(told == [nil, "out: shutting down", nil, nil])
    }
}
