import Testing

@testable import Swiftlet

@Suite struct TimestampTextTests {
    @Test(arguments: [
        "2024-01-15", "2024-01-15T10:30", "2024-01-15T10:30:00", "2024-01-15 10:30:00", "2024-01-15T10:30:00Z",
        "2024-01-15T10:30:00.123456Z", "2024-01-15T10:30:00+05:30", "2024-01-15T10:30:00-08", "2024-02-29",
        "2000-02-29T23:59:59.999999999+0530",
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
}
