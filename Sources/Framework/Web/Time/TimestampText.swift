import SwiftletBytes

/// Checks dates and times before they reach PostgreSQL, so that an invalid one is a 400 that names its field.
///
/// Accepts ISO 8601 with `T` or a space: `2024-01-15`, `2024-01-15T10:30`, `…:00`, `….123456`, followed by nothing
/// (UTC), `Z`, `±hh`, `±hhmm` or `±hh:mm`. PostgreSQL reads all of these (manual, 8.5.1.1). In UTC, the time must be in
/// the years 0001–9999: a later or earlier one has no ISO 8601 form that apps can decode.
package enum TimestampText {
    package static func isTimestamp(_ text: String) -> Bool {
        var scanner = Scanner(text.utf8.span)
        guard let day = scanner.date() else { return false }
        if scanner.isAtEnd { return true }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") else { return false }
        guard let time = scanner.time(), let offset = scanner.zone(), scanner.isAtEnd else { return false }
        let utc = time - offset
        return (utc >= 0 || day > firstDay) && (utc < microsecondsPerDay || day < lastDay)
    }

    /// Days since 1970, microseconds since midnight and seconds east of UTC, as far as a valid time names them.
    static func parts(of text: String) -> (day: Int, time: Int?, offset: Int?)? {
        var scanner = Scanner(text.utf8.span)
        guard let digits = scanner.date() else { return nil }
        let date = CivilDate(year: digits / 10_000, month: digits / 100 % 100, day: digits % 100)
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") else {
            return (date.daysSince1970, nil, nil)
        }
        guard let time = scanner.time() else { return nil }
        if scanner.isAtEnd { return (date.daysSince1970, time, nil) }
        return scanner.zone().map { (date.daysSince1970, time, $0 / 1_000_000) }
    }

    /// A valid time without the digits beyond microseconds. PostgreSQL would round them, but a fraction is cut, as it is
    /// in responses: the last moment of a year stays in it.
    package static func cut(_ text: String) -> String {
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return text }
        let fraction = text.utf8[point...].dropFirst().prefix { $0 &- UInt8(ascii: "0") < 10 }
        let rest = fraction.dropFirst(6)
        return rest.isEmpty ? text : String(text[..<rest.startIndex]) + text[rest.endIndex...]
    }

    package static func isTime(_ text: String) -> Bool {
        var scanner = Scanner(text.utf8.span)
        return scanner.time() != nil && scanner.zone() != nil && scanner.isAtEnd
    }

    private static let firstDay = 0001_01_01
    private static let lastDay = 9999_12_31
    private static let microsecondsPerDay = 86_400_000_000
}

private struct Scanner: ~Escapable {
    private let bytes: Span<UInt8>
    private var index = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Exactly `digits` digits, or nil.
    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard isAtDigit else { return nil }
            value = value * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        return value
    }

    private var isAtDigit: Bool { index < bytes.count && bytes[index] &- UInt8(ascii: "0") < 10 }

    /// The digits of `YYYY-MM-DD` as one number, or nil.
    mutating func date() -> Int? {
        guard let year = number(digits: 4), year >= 1, skip("-"),
            let month = number(digits: 2), skip("-"), let day = number(digits: 2),
            CivilDate(year: year, month: month, day: day).exists
        else { return nil }
        return year * 10_000 + month * 100 + day
    }

    /// Microseconds since midnight, cut, or nil.
    mutating func time() -> Int? {
        guard let hour = number(digits: 2), hour < 24, skip(":"), let minute = number(digits: 2), minute < 60 else {
            return nil
        }
        let minutes = (hour * 60 + minute) * 60_000_000
        guard skip(":") else { return minutes }
        guard let second = number(digits: 2), second < 60 else { return nil }
        guard skip(".") else { return minutes + second * 1_000_000 }
        guard let fraction = nanoseconds() else { return nil }
        return minutes + second * 1_000_000 + fraction / 1_000
    }

    /// One to nine digits of a fraction, or nil.
    private mutating func nanoseconds() -> Int? {
        guard isAtDigit else { return nil }
        var value = 0
        for _ in 0..<9 {
            value = value * 10 + (number(digits: 1) ?? 0)
        }
        return isAtDigit ? nil : value
    }

    /// The offset from UTC in microseconds, 0 without a zone, or nil.
    mutating func zone() -> Int? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(digits: 2), hours < 16 else { return nil }
        var minutes = 0
        if !isAtEnd {
            _ = skip(":")
            guard let number = number(digits: 2), number < 60 else { return nil }
            minutes = number
        }
        let offset = (hours * 60 + minutes) * 60_000_000
        return isWest ? -offset : offset
    }
}
