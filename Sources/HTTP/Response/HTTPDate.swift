/// A `Date` field in the format of RFC 9110 §5.6.7 (IMF-fixdate). To be made once per second, not once per response.
package struct HTTPDate: Sendable, Equatable {
    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` with its CR LF.
    let line: [UInt8]

    /// Seconds outside the years 1970 to 9999 are clamped.
    package init(secondsSince1970: Int) {
        let seconds = min(max(secondsSince1970, 0), lastSecondOfYear9999)
        let days = seconds / 86400
        let second = seconds % 86400
        let (year, month, day) = HTTPDate.civil(daysSince1970: days)

        var line = Array("Date: ".utf8)
        line.append(contentsOf: HTTPDate.name(days % 7, in: "ThuFriSatSunMonTueWed"))
        line.append(contentsOf: ", ".utf8)
        line.append(contentsOf: HTTPDate.digits(day))
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: HTTPDate.name(month - 1, in: "JanFebMarAprMayJunJulAugSepOctNovDec"))
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: HTTPDate.digits(year / 100))
        line.append(contentsOf: HTTPDate.digits(year % 100))
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: HTTPDate.digits(second / 3600))
        line.append(UInt8(ascii: ":"))
        line.append(contentsOf: HTTPDate.digits(second / 60 % 60))
        line.append(UInt8(ascii: ":"))
        line.append(contentsOf: HTTPDate.digits(second % 60))
        line.append(contentsOf: " GMT\r\n".utf8)
        self.line = line
    }

    /// A day's date in the Gregorian calendar, counted in eras of 400 years that begin on 1 March.
    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func name(_ index: Int, in names: String) -> Substring.UTF8View {
        names.dropFirst(index * 3).prefix(3).utf8
    }

    private static func digits(_ value: Int) -> [UInt8] {
        [UInt8(ascii: "0") + UInt8(value / 10), UInt8(ascii: "0") + UInt8(value % 10)]
    }
}

extension HTTPDate: CustomStringConvertible {
    /// The 29 bytes of the date itself.
    package var description: String { String(decoding: line.dropFirst(6).dropLast(2), as: UTF8.self) }
}

private let lastSecondOfYear9999 = 253_402_300_799
