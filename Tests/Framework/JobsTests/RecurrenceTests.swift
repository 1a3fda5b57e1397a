import Foundation
import Testing

@testable import SwiftletJobs

@Suite struct RecurrenceTests {
    private static let day = 86_400

    @Test(arguments: [
        (0.0, 300), (299.999, 300), (300.0, 600), (300.5, 600), (-1.0, 0), (-300.0, 0), (-301.0, -300),
    ])
    func `an interval ticks at its multiples, strictly after now`(now: Double, next: Int) {
        #expect(Recurrence.every(.seconds(300)).next(after: now) == next)
    }

    @Test(arguments: [(0, 12_600), (12_599, 12_600), (12_600, 12_600 + 86_400), (86_399, 12_600 + 86_400)])
    func `a time of day ticks once a day`(now: Int, next: Int) {
        #expect(Recurrence(timeOfDay: "03:30").next(after: Double(now)) == next)
    }

    /// Berlin's clocks are put forward on 2026-03-29 at 01:00 UTC, and back on 2026-10-25 at 01:00 UTC.
    @Test(arguments: [
        ("03:30", "2026-03-27T12:00:00Z", "2026-03-28T02:30:00Z"),
        ("03:30", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"),
        ("02:30", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"),
        ("02:30", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"),
        ("02:30", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
        ("02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
        ("00:00", "2026-06-01T22:00:00Z", "2026-06-02T22:00:00Z"),
        ("23:59", "2026-06-01T21:58:59Z", "2026-06-01T21:59:00Z"),
    ])
    func `a time of day is what clocks show there`(time: String, now: String, next: String) throws {
        let recurrence = Recurrence(timeOfDay: time, in: "Europe/Berlin")
        let now = try Date(now, strategy: .iso8601).timeIntervalSince1970
        let tick = try Date(next, strategy: .iso8601).timeIntervalSince1970
        #expect(recurrence.next(after: now) == Int(tick))
        #expect(recurrence.last(notAfter: tick) == Int(tick))
        #expect(Double(recurrence.last(notAfter: now)) <= now)
        #expect(recurrence.next(after: Double(recurrence.last(notAfter: now))) == Int(tick))
    }

    @Test(arguments: ["CEST", "Mars/Base", "+02:00", "europe/berlin", ""])
    func `refuses what is no time zone`(zone: String) {
        #expect(Recurrence(timeOfDay: "03:30", in: zone).fault?.contains("time zone") == true)
    }

    @Test(arguments: ["", "3:30", "24:00", "03:60", "0330", "03:30:00", "-1:30", "aa:bb", "+3:30"])
    func `refuses what is no time of day`(text: String) {
        #expect(Recurrence(timeOfDay: text).fault != nil)
    }

    @Test(arguments: [Duration.zero, .milliseconds(999), .seconds(-5), .seconds(367 * 86_400)])
    func `refuses intervals that are none`(interval: Duration) {
        #expect(Recurrence.every(interval).fault != nil)
    }
}
