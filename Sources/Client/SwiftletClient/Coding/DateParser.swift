public import Foundation

extension Date {
    /// The date that a server wrote; nil for what is none, such as a day that does not exist.
    ///
    /// Takes all forms in which our servers, PostgreSQL and earlier backends of the apps write dates: a day
    /// (`2025-03-15`), or a day and a time after `T` or a space; with or without `-` and `:`; with any number of digits
    /// of a second; with `Z`, an offset (`+02`, `+0200`, `+02:00`), or none of them, which means UTC.
    public init?(serverText text: String) {
        var parser = DateParser(text)
        guard let seconds = parser.read() else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }
}

/// Reads the bytes of a date once, from left to right: no formatter, no pattern, no copy.
struct DateParser {
    private var bytes: String.UTF8View.Iterator
    private var next: UInt8?

    init(_ text: String) {
        bytes = text.utf8.makeIterator()
        next = bytes.next()
    }

    /// Seconds since 1970 in UTC.
    mutating func read() -> Double? {
        guard let day = readDay() else { return nil }
        guard next != nil else { return Double(day * 86_400) }
        guard takeAny("T", "t", " "), let time = readTime() else { return nil }
        guard let fraction = readFraction(), let offset = readOffset(), next == nil else { return nil }
        return Double(day * 86_400 + time - offset) + fraction
    }

    /// Days since 1970.
    private mutating func readDay() -> Int? {
        guard let century = readPair(), let rest = readPair() else { return nil }
        let isExtended = take("-")
        guard let month = readPair(), take("-") == isExtended, let day = readPair() else { return nil }
        return Self.days(year: century * 100 + rest, month: month, day: day)
    }

    /// Seconds since midnight. A minute may have a leap second, and a day may end at 24:00.
    private mutating func readTime() -> Int? {
        guard let hour = readPair() else { return nil }
        let isExtended = take(":")
        guard let minute = readPair(), minute < 60 else { return nil }
        var second = 0
        if isExtended ? take(":") : isDigit {
            guard let read = readPair(), read < 60 || read == 60 && minute == 59 else { return nil }
            second = read
        }
        guard hour < 24 || hour == 24 && minute == 0 && second == 0 else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// 0 without a fraction; nil for a point that no digit follows.
    private mutating func readFraction() -> Double? {
        guard takeAny(".", ",") else { return 0 }
        guard isDigit else { return nil }
        var (digits, scale) = (0, 1)
        while isDigit, let byte = next {
            // What is less than a nanosecond is more than a Date holds.
            if scale < 1_000_000_000 {
                digits = digits * 10 + Int(byte &- 0x30)
                scale *= 10
            }
            advance()
        }
        return Double(digits) / Double(scale)
    }

    /// Seconds east of UTC.
    private mutating func readOffset() -> Int? {
        let isApart = take(" ")
        guard let sign = next else { return isApart ? nil : 0 }
        advance()
        if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = readPair(), hours < 24 else {
            return nil
        }
        var seconds = hours * 3600
        // PostgreSQL writes seconds too, for times before there were zones.
        for unit in [60, 1] where take(":") || isDigit {
            guard let value = readPair(), value < 60 else { return nil }
            seconds += value * unit
        }
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    // MARK: - Bytes

    private var isDigit: Bool { next.map { $0 &- 0x30 < 10 } ?? false }

    private mutating func advance() { next = bytes.next() }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        advance()
        return true
    }

    private mutating func takeAny(_ characters: Unicode.Scalar...) -> Bool {
        for character in characters where take(character) { return true }
        return false
    }

    /// A number of two digits.
    private mutating func readPair() -> Int? {
        guard let tens = next, tens &- 0x30 < 10, let ones = bytes.next(), ones &- 0x30 < 10 else { return nil }
        advance()
        return Int(tens &- 0x30) * 10 + Int(ones &- 0x30)
    }

    // MARK: - The calendar

    /// Days from 1970-01-01 in the Gregorian calendar, also for years before it; nil for a day that does not exist.
    private static func days(year: Int, month: Int, day: Int) -> Int? {
        guard (1...12).contains(month), day >= 1, day <= length(of: month, in: year) else { return nil }
        // Years begin in March here, so that the leap day is their last one.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + floored(shifted, 4) - floored(shifted, 100) + floored(shifted, 400) + dayOfYear - 719_468
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// The year 0 begins in March of the year -1.
    private static func floored(_ year: Int, _ divisor: Int) -> Int {
        year >= 0 ? year / divisor : -((-year + divisor - 1) / divisor)
    }
}
