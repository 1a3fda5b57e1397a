import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import Testing

@Suite struct DateParserTests {
    private static let moment = 1_742_060_675.0

    @Test(
        arguments: [
            "2025-03-15T17:44:35Z", "2025-03-15T17:44:35", "2025-03-15 17:44:35", "2025-03-15t17:44:35z",
            "2025-03-15T17:44:35+00:00", "2025-03-15T17:44:35-00:00", "2025-03-15T19:44:35+02:00",
            "2025-03-15T19:44:35+0200", "2025-03-15T19:44:35+02", "2025-03-15 17:44:35+00", "2025-03-15 17:44:35 +0000",
            "2025-03-15T12:14:35-05:30", "20250315T174435Z", "2025-03-15T17:44:35.000Z", "2025-03-15T17:44:35.000000",
            "2025-03-16T01:44:35+08:00", "2025-03-15T17:44:35,0Z", "2025-03-15T18:37:03+00:52:28",
        ]
    )
    func `reads one moment in every form`(text: String) throws {
        #expect(try #require(Date(serverText: text)).timeIntervalSince1970 == Self.moment)
    }

    @Test(
        arguments: [
            ("2025-03-15", 1_741_996_800.0), ("20250315", 1_741_996_800), ("2025-03-15T17:44Z", 1_742_060_640),
            ("1970-01-01", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29", 951_782_400), ("2024-02-29", 1_709_164_800),
            ("1900-03-01", -2_203_891_200), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("2025-03-15T24:00:00Z", 1_742_083_200), ("2025-03-15T17:44:35.5Z", moment + 0.5),
            ("2025-03-15T17:44:35.123456+00:00", moment + 0.123456),
            ("2025-03-15T17:44:35.1234567891234Z", moment + 0.123456789),
        ]
    )
    func `reads days, fractions and the ends of time`(text: String, seconds: Double) throws {
        #expect(abs(try #require(Date(serverText: text)).timeIntervalSince1970 - seconds) < 1e-6)
    }

    @Test(
        arguments: [
            "", " ", "soon", "2025", "2025-03", "2025-02-29", "2025-02-30", "1900-02-29", "2025-04-31", "2025-13-01",
            "2025-00-10",
            "2025-01-00", "2025-01-32", "2025-1-1", "2025-01-01T", "2025-01-01T25:00:00Z", "2025-01-01T24:00:01Z",
            "2025-01-01T10:60:00Z", "2025-01-01T10:00:61Z", "2025-01-01T10:00:60Z", "2025-01-01T10:00:00+24:00",
            "2025-01-01T10:00:00+02:60", "2025-01-01T10:00:00.Z", "2025-01-01T10:00:00ZZ", "2025-01-01T10:00:00 ",
            "2025-01-01X10:00:00Z", "202501-01", "2025-0101", "2025-01-01T1000:00Z", "2025-01-01T10:0000Z", "infinity",
            "٢٠٢٥-٠١-٠١", "2025-01-01T10:00:00+", "2025-01-01T10:00:00+2", "-2025-01-01", "2025-01-01T10:00:00\u{0}",
        ]
    )
    func `refuses what is no date`(text: String) {
        #expect(Date(serverText: text) == nil)
    }

    @Test func `agrees with the calendar on every day of eight centuries`() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var day = Date(timeIntervalSince1970: -12_000_000_000)
        for _ in 0..<3000 {
            day += 86_400 * 97
            let parts = calendar.dateComponents([.year, .month, .day], from: day)
            let text = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            #expect(Date(serverText: text) == calendar.startOfDay(for: day))
        }
    }

    @Test func `what is no prefix of a date is none when it is cut anywhere`() {
        let whole = "2025-03-15T17:44:35.123+02:00"
        let accepted = (0...whole.count).filter { Date(serverText: String(whole.prefix($0))) != nil }
        // The day, the minute, the second, its fractions, and the whole hours and the minutes of the zone.
        #expect(accepted == [10, 16, 19, 21, 22, 23, 26, 29])
    }
}
