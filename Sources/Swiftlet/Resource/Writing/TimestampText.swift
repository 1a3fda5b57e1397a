/// Checks dates and times before they reach PostgreSQL, so that an invalid one is a 400 that names its field.
///
/// Accepts ISO 8601 with `T` or a space: `2024-01-15`, `2024-01-15T10:30`, `…:00`, `….123456`, followed by nothing
/// (UTC), `Z`, `±hh`, `±hhmm` or `±hh:mm`. PostgreSQL reads all of these (manual, 8.5.1.1).
enum TimestampText {
    static func isTimestamp(_ text: String) -> Bool {
        var scanner = Scanner(text.utf8.span)
        guard scanner.date() else { return false }
        if scanner.isAtEnd { return true }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") else { return false }
        return scanner.time() && scanner.zone() && scanner.isAtEnd
    }

    static func isTime(_ text: String) -> Bool {
        var scanner = Scanner(text.utf8.span)
        return scanner.time() && scanner.zone() && scanner.isAtEnd
    }
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

    mutating func date() -> Bool {
        guard let year = number(digits: 4), year >= 1, skip("-"),
            let month = number(digits: 2), (1...12).contains(month), skip("-"),
            let day = number(digits: 2)
        else { return false }
        return (1...Self.days(in: month, of: year)).contains(day)
    }

    mutating func time() -> Bool {
        guard let hour = number(digits: 2), hour < 24, skip(":"), let minute = number(digits: 2), minute < 60 else {
            return false
        }
        guard skip(":") else { return true }
        guard let second = number(digits: 2), second < 60 else { return false }
        guard skip(".") else { return true }
        let start = index
        while isAtDigit { index += 1 }
        return (1...9).contains(index - start)
    }

    mutating func zone() -> Bool {
        if isAtEnd || skip("Z") || skip("z") { return true }
        guard skip("+") || skip("-"), let hours = number(digits: 2), hours < 16 else { return false }
        if isAtEnd { return true }
        _ = skip(":")
        guard let minutes = number(digits: 2) else { return false }
        return minutes < 60
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
