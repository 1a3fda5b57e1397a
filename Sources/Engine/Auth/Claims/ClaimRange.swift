/// The place of a JSON value in a token's payload, in half the size of a `Range<Int>`.
struct ClaimRange: Sendable {
    /// The largest position; callers refuse longer texts.
    static let maximumBytes = 1 << 30

    private let lower: UInt32
    private let upperAndFlag: UInt32
    private static let flag: UInt32 = 1 << 31

    /// Of a missing value: no value inside an object ends at offset 0.
    static let none = ClaimRange(0, 0)

    init(_ lower: Int, _ upper: Int, hasEscapes: Bool = false) {
        self.lower = UInt32(truncatingIfNeeded: lower)
        upperAndFlag = UInt32(truncatingIfNeeded: upper) & ~Self.flag | (hasEscapes ? Self.flag : 0)
    }

    var isPresent: Bool { upperAndFlag != 0 }

    /// Whether it is a string with a backslash in it.
    var hasEscapes: Bool { upperAndFlag & Self.flag != 0 }

    /// Including brackets and quotes.
    var range: Range<Int> { Int(lower)..<upper }

    /// Of a string, without its quotes.
    var rangeInQuotes: Range<Int> { Int(lower) &+ 1..<upper &- 1 }

    private var upper: Int { Int(upperAndFlag & ~Self.flag) }
}
