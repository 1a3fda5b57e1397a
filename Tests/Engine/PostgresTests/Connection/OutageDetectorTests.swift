import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

@Suite struct OutageDetectorTests {
    private static func time(_ milliseconds: Int64) -> LoopInstant {
        LoopInstant(nanoseconds: milliseconds * 1_000_000)
    }

    /// Looks every hundred milliseconds and tells what was to be done, and when.
    private func actions(
        _ silence: inout OutageDetector,
        from start: Int64 = 0,
        until end: Int64,
        waitingSince: Int64?,
        heardAt: (Int64) -> Int64
    ) -> [Int64: OutageDetector.Action] {
        var actions: [Int64: OutageDetector.Action] = [:]
        for now in stride(from: start, through: end, by: 100) {
            let action = silence.look(
                waitingSince: waitingSince.map(Self.time),
                heardAt: Self.time(heardAt(now)),
                at: Self.time(now)
            )
            if action != .none { actions[now] = action }
        }
        return actions
    }

    @Test func `without anything in flight silence means nothing`() {
        var silence = OutageDetector(limit: .seconds(3))
        let told = actions(&silence, until: 60_000, waitingSince: nil) { _ in 0 }
        #expect(told == [:])
    }

    @Test func `a server that answers elsewhere is probed now and then, and never lost`() {
        var silence = OutageDetector(limit: .seconds(3))
        // A long statement on one connection; the probe of the idle ones is answered in time.
        let told = actions(&silence, until: 10_000, waitingSince: 0) { now in now / 1100 * 1100 }
        #expect(Set(told.values.map { $0 == .probe }) == [true])
        #expect(told.count == 9)
        #expect(!silence.isOutage)
    }

    @Test func `total silence is probed first, then an outage, once`() {
        var silence = OutageDetector(limit: .seconds(3))
        let told = actions(&silence, from: 1000, until: 20_000, waitingSince: 1000) { _ in 500 }
        #expect(told == [2000: .probe, 4000: .beginOutage])
        #expect(silence.isOutage)
    }

    @Test func `the first answer ends it; what stays silent for a second more is closed`() {
        var silence = OutageDetector(limit: .seconds(3))
        _ = actions(&silence, until: 5000, waitingSince: 0) { _ in 0 }
        let told = actions(&silence, from: 5100, until: 9000, waitingSince: 5050) { $0 - 10 }
        #expect(told == [5100: .endOutage, 6100: .closeSilent(since: Self.time(3000))])
        #expect(!silence.isOutage)
    }

    @Test func `what was not heard while this process slept is no silence`() {
        var silence = OutageDetector(limit: .seconds(3))
        let before = actions(&silence, until: 1500, waitingSince: 0) { _ in 0 }
        #expect(before == [1000: .probe])
        let after = actions(&silence, from: 8000, until: 9000, waitingSince: 0) { now in now < 8100 ? 0 : 8050 }
        #expect(after == [:])
        #expect(!silence.isOutage)
    }

    @Test func `a process that sleeps now and then notices an outage, later by as long as it slept`() {
        var silence = OutageDetector(limit: .seconds(3))
        var told: [Int64: OutageDetector.Action] = [:]
        for second in stride(from: Int64(0), to: 20_000, by: 1600) {
            told.merge(actions(&silence, from: second, until: second + 1000, waitingSince: 0) { _ in 0 }) { $1 }
        }
        #expect(told == [1000: .probe, 4200: .beginOutage])
    }

    @Test func `a probe of an earlier silence does not count in the next`() {
        var silence = OutageDetector(limit: .seconds(3))
        _ = actions(&silence, until: 2900, waitingSince: 0) { _ in 0 }
        // An answer, a long rest, and a new question while this process sleeps.
        let told = actions(&silence, from: 60_000, until: 61_500, waitingSince: 58_000) { _ in 2950 }
        #expect(told == [60_000: .probe])
    }
}
