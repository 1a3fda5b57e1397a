import SwiftletBytes

extension Stamp {
    /// Of `2024-01-15T10:30:00`.
    static let shortestLength = 19

    /// The format of a time.
    enum Form {
        /// `2024-01-15T10:30:00`, optionally `.digits`, and optionally `Z` or `±hh:mm`.
        case iso8601
        /// `2024-01-15 10:30:00`, optionally `.digits`, and optionally `±hh` or `±hh:mm` (PostgreSQL §8.5.2, style
        /// ISO).
        case postgres
    }

    /// Reads a text that consists of a time. Without a zone it is UTC, a fraction is truncated, an offset is converted.
    ///
    /// Nil for other text, for times that do not exist (30 February, 24:00:00, second 60) and for results outside the
    /// years 0001–9999. Offsets go from -23:59 to +23:59, the range of ECMA-262 §21.4.1.33.
    init?(reading text: borrowing Span<UInt8>, as form: Form) {
        guard text.count >= Self.shortestLength else { return nil }
        let separator = form == .iso8601 ? Self.letterT : Self.space
        guard let first = Self.digits(text.word(at: 0), Self.headShape, Self.headRange),
            let second = Self.digits(text.word(at: 8), Self.timeShape & ~Self.thirdByte | separator, Self.timeRange),
            let third = Self.digits(text.word(at: 11), Self.timeShape, Self.timeRange)
        else { return nil }
        let date = CivilDate(
            year: Self.number(first, at: 0) &* 100 &+ Self.number(first, at: 2),
            month: Self.number(first, at: 5),
            day: Self.number(second, at: 0)
        )
        let hour = Self.number(third, at: 0)
        let minute = Self.number(third, at: 3)
        let seconds = Self.number(third, at: 6)
        guard date.exists, hour < 24, minute < 60, seconds < 60, let offset = Self.offset(in: text, form) else {
            return nil
        }
        if offset == 0 {
            guard date.year > 0 else { return nil }
            self.init(
                head: first | Self.headShape,
                middle: second | Self.timeShape & ~Self.thirdByte | Self.letterT,
                tail: UInt32(truncatingIfNeeded: (third | Self.timeShape) &>> 40) | Self.finalZ
            )
        } else {
            let local = date.daysSince1970 &* 86_400 &+ hour &* 3_600 &+ minute &* 60 &+ seconds
            self.init(secondsSince1970: local &- offset &* 60)
        }
    }

    /// The offset in minutes after the seconds and their fraction; nil when anything else follows them.
    private static func offset(in text: borrowing Span<UInt8>, _ form: Form) -> Int? {
        var index = shortestLength
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index &+= 1
            let start = index
            while index < text.count, text[index] &- UInt8(ascii: "0") < 10 { index &+= 1 }
            guard index > start else { return nil }
        }
        switch (form, text.count &- index) {
        case (_, 0): return 0
        case (.iso8601, 1): return text[index] == UInt8(ascii: "Z") ? 0 : nil
        case (.postgres, 3), (_, 6): break
        default: return nil
        }
        guard text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") else { return nil }
        var minutes = 0
        if text.count &- index == 6 {
            guard text[index &+ 3] == UInt8(ascii: ":"), let value = pair(in: text, at: index &+ 4), value < 60 else {
                return nil
            }
            minutes = value
        }
        guard let hours = pair(in: text, at: index &+ 1), hours < 24 else { return nil }
        minutes &+= hours &* 60
        return text[index] == UInt8(ascii: "-") ? 0 &- minutes : minutes
    }

    /// The value of two digits.
    private static func pair(in text: borrowing Span<UInt8>, at index: Int) -> Int? {
        let tens = text[index] &- UInt8(ascii: "0")
        let units = text[index &+ 1] &- UInt8(ascii: "0")
        return tens < 10 && units < 10 ? Int(tens &* 10 &+ units) : nil
    }

    // Eight bytes are checked at once. Exclusive-or with the pattern (`0` for a digit, else the separator) leaves 0…9 for
    // each digit and 0 for each separator; adding the range then sets bit 7 of every larger byte.

    /// `0000-00-`
    private static let headShape: UInt64 = 0x2D30_302D_3030_3030
    private static let headRange: UInt64 = 0x7F76_767F_7676_7676
    /// `00:00:00`, and with another separator `00T00:00`.
    private static let timeShape: UInt64 = 0x3030_3A30_303A_3030
    private static let timeRange: UInt64 = 0x7676_7F76_767F_7676

    // `T` or a space between date and time, in the third byte of a word, and `Z` in the fourth.
    private static let thirdByte: UInt64 = 0xFF_0000
    private static let letterT: UInt64 = 0x54_0000
    private static let space: UInt64 = 0x20_0000
    private static let finalZ: UInt32 = 0x5A00_0000

    /// The values of the digits in a word of that pattern, with zeros for the separators; nil for any other word.
    @inline(__always)
    private static func digits(_ word: UInt64, _ separators: UInt64, _ range: UInt64) -> UInt64? {
        let values = word ^ separators
        return (values | (values &+ range)) & .byteHighBits == 0 ? values : nil
    }

    /// The two digits from byte `position` as a number.
    @inline(__always)
    private static func number(_ digits: UInt64, at position: UInt64) -> Int {
        let pair = digits &>> (position &* 8)
        return Int(truncatingIfNeeded: (pair & 0xF) &* 10 &+ pair &>> 8 & 0xF)
    }
}
