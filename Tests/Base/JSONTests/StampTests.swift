import SwiftletJSON
import Testing

@Suite struct StampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (86_399, "1970-01-01T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (1_705_314_600, "2024-01-15T10:30:00Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-62_135_596_801, nil), (253_402_300_800, nil), (.max, nil), (.min, nil),
        ] as [(Int, String?)]
    )
    func `shows seconds since 1970`(seconds: Int, expected: String?) {
        #expect(Stamp(secondsSince1970: seconds)?.text == expected)
    }

    @Test(arguments: [(0, "000"), (7, "007"), (42, "042"), (999, "999")])
    func `logs show milliseconds`(milliseconds: Int, digits: String) throws {
        let stamp = try #require(Stamp(secondsSince1970: 1_705_314_600))
        #expect(stamp.text(milliseconds: milliseconds) == "2024-01-15T10:30:00.\(digits)Z")
        var json = JSONWriter()
        json.beginObject()
        json.member("a", 1)
        json.key("time")
        json.write(stamp, milliseconds: milliseconds)
        json.endObject()
        let text = String(decoding: json.finish(), as: UTF8.self)
        #expect(text == #"{"a":1,"time":"2024-01-15T10:30:00.\#(digits)Z"}"#)
    }

    @Test func `agrees with a calendar counted day by day`() {
        // 1 January 1599 is this many days before 1970; four centuries and both kinds of their turn.
        var day = -135_505
        for year in 1599...2001 {
            let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
            for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for dayOfMonth in 1...days {
                    let date = "\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(dayOfMonth, 2))"
                    let stamp = Stamp(secondsSince1970: day * 86_400 + 3_661)
                    // An hour and a minute ahead of UTC, and back.
                    let local = Array("\(date)T02:02:01.9+01:01".utf8)
                    guard stamp?.text == date + "T01:01:01Z", DateNormalizer.stamp(local.span) == stamp else {
                        Issue.record("day \(day): expected \(date), got \(stamp?.text ?? "nil")")
                        return
                    }
                    day += 1
                }
                let next = "\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(days + 1, 2))T00:00:00"
                #expect(DateNormalizer.stamp(Array(next.utf8).span) == nil)
            }
        }
        #expect(day == 11_688)
    }

    private func padded(_ number: Int, _ length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: length - digits.count) + digits
    }
}
