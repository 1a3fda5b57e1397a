import Testing

@testable import SwiftletWeb

@Suite struct TimestampTextTests {
    @Test(arguments: [
        "2024-01-15", "2024-01-15T10:30", "2024-01-15T10:30:00", "2024-01-15 10:30:00", "2024-01-15T10:30:00Z",
        "2024-01-15T10:30:00.123456Z", "2024-01-15T10:30:00+05:30", "2024-01-15T10:30:00-08", "2024-02-29",
        "2000-02-29T23:59:59.999999999+0530", "0001-01-01T00:00:00Z", "0001-01-02T00:00:00+15:59",
        "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999999", "9999-12-31T23:59:59+00:01",
        "9999-12-30T23:59:59-15:59",
    ])
    func `accepts ISO 8601 times`(text: String) {
        #expect(TimestampText.isTimestamp(text))
    }

    @Test(arguments: [
        "", "now", "2024-1-5", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10",
        "2024-01-15T24:00:00",
        "2024-01-15T10:60:00", "2024-01-15T10:30:60", "2024-01-15T10:30:00.", "2024-01-15T10:30:00+", "2024-01-15T",
        "2024-01-15T10:30:00Zx", "infinity", "2024-01-15T10:30:00+16:00", "0000-01-01", "٢٠٢٤-01-15",
    ])
    func `refuses everything else`(text: String) {
        #expect(!TimestampText.isTimestamp(text))
    }

    @Test(arguments: [
        "0001-01-01T00:00:00+00:01", "0001-01-01T04:59:59.999999+05", "9999-12-31T23:59:00-00:01",
        "9999-12-31 19:00:00-0500",
    ])
    func `refuses times that UTC has outside the years 0001 to 9999`(text: String) {
        #expect(!TimestampText.isTimestamp(text))
    }

    @Test(arguments: [
        ("2026-12-31T23:59:59.9999995Z", "2026-12-31T23:59:59.999999Z"), ("10:30:00.1234567+02", "10:30:00.123456+02"),
        ("2026-12-31 23:59:59.123456", "2026-12-31 23:59:59.123456"), ("2026-12-31", "2026-12-31"),
    ])
    func `cuts what PostgreSQL would round`(text: String, expected: String) {
        #expect(TimestampText.cut(text) == expected)
    }

    @Test(arguments: ["10:30", "23:59:59.999999999", "10:30:00Z", "10:30:00-15:59"])
    func `accepts times of day`(text: String) {
        #expect(TimestampText.isTime(text))
    }

    @Test(arguments: ["", "10", "10:30:", "24:00:00", "10:30:00.", "10:30:00.1234567890", "10:30:00+", "10:30:00+1"])
    func `refuses other times of day`(text: String) {
        #expect(!TimestampText.isTime(text))
    }
}
