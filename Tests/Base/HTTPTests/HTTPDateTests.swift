import SwiftletHTTP
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
        (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (1_704_067_199, "Sun, 31 Dec 2023 23:59:59 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (Int.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (Int.min, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ])
    func `writes a second as RFC 9110 does`(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).description == text)
    }

    /// Against plain counting, a day at a time.
    @Test func `knows every day until 2110`() {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        var day = 0
        for year in 1970..<2110 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for dayOfMonth in 1...length {
                    let digits = dayOfMonth < 10 ? "0\(dayOfMonth)" : "\(dayOfMonth)"
                    let expected = "\(weekdays[day % 7]), \(digits) \(names[month]) \(year) 12:00:00 GMT"
                    #expect(HTTPDate(secondsSince1970: day * 86400 + 43200).description == expected)
                    day += 1
                }
            }
        }
    }
}
