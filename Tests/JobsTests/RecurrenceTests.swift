import Testing

@testable import Jobs

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

    @Test(arguments: ["", "3:30", "24:00", "03:60", "0330", "03:30:00", "-1:30", "aa:bb", "+3:30"])
    func `refuses what is no time of day`(text: String) {
        #expect(Recurrence(timeOfDay: text).fault != nil)
    }

    @Test(arguments: [Duration.zero, .milliseconds(999), .seconds(-5), .seconds(367 * 86_400)])
    func `refuses intervals that are none`(interval: Duration) {
        #expect(Recurrence.every(interval).fault != nil)
    }
}
