import SwiftletBytes

/// A `Date` field in the format of RFC 9110 §5.6.7 (IMF-fixdate). To be made once per second, not once per response.
package struct HTTPDate: Sendable, Equatable {
    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` with its CR LF.
    let line: [UInt8]

    /// Seconds outside the years 1970 to 9999 are clamped.
    package init(secondsSince1970: Int) {
        let seconds = min(max(secondsSince1970, 0), lastSecondOfYear9999)
        let days = seconds / 86400
        let second = seconds % 86400
        let date = CivilDate(daysSince1970: days)

        var line = Array("Date: ".utf8)
        line.append(contentsOf: HTTPDate.name(days % 7, in: "ThuFriSatSunMonTueWed"))
        line.append(contentsOf: ", ".utf8)
        line.append(contentsOf: HTTPDate.digits(date.day))
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: HTTPDate.name(date.month - 1, in: "JanFebMarAprMayJunJulAugSepOctNovDec"))
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: HTTPDate.digits(date.year / 100))
        line.append(contentsOf: HTTPDate.digits(date.year % 100))
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: HTTPDate.digits(second / 3600))
        line.append(UInt8(ascii: ":"))
        line.append(contentsOf: HTTPDate.digits(second / 60 % 60))
        line.append(UInt8(ascii: ":"))
        line.append(contentsOf: HTTPDate.digits(second % 60))
        line.append(contentsOf: " GMT\r\n".utf8)
        self.line = line
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
