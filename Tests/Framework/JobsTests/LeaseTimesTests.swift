import Testing

@testable import SwiftletJobs

@Suite struct LeaseTimesTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func `a lease is renewed after a quarter of it and ends after the whole`() {
        var times = LeaseTimes(lease: .seconds(30))
        times.renew(sentAt: 100 * Self.second)
        #expect(!times.mustBeat(at: 107 * Self.second))
        #expect(times.mustBeat(at: 108 * Self.second))
        #expect(!times.hasEnded(at: 129 * Self.second))
        #expect(times.hasEnded(at: 130 * Self.second))
    }

    @Test func `an answer that comes late does not lengthen it`() {
        var times = LeaseTimes(lease: .seconds(30))
        times.renew(sentAt: 100 * Self.second)
        times.renew(sentAt: 90 * Self.second)
        #expect(times.renewed == 100 * Self.second)
    }
}
