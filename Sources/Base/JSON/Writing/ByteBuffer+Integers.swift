extension ByteBuffer {
    /// Appends decimal digits, most significant first.
    mutating func appendDecimal(_ value: Int) {
        reserve(20)
        if value < 0 { appendReserved(UInt8(ascii: "-")) }
        var rest = UInt64(value.magnitude)
        // Eight digits at a time from the end; `Int` has at most 19.
        guard rest >= 100_000_000 else { return appendLeading(rest) }
        let low = rest % 100_000_000
        rest /= 100_000_000
        guard rest >= 100_000_000 else {
            appendLeading(rest)
            return appendReserved(Self.eightDigits(low))
        }
        appendLeading(rest / 100_000_000)
        appendReserved(Self.eightDigits(rest % 100_000_000))
        appendReserved(Self.eightDigits(low))
    }

    /// Appends a number below 10⁸ without leading zeros.
    @inline(__always)
    private mutating func appendLeading(_ value: UInt64) {
        if value < 10 { return appendReserved(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)) }
        let digits = Self.eightDigits(value)
        let zeros = (digits ^ Self.asciiZeros).trailingZeroBitCount &>> 3
        appendReserved(digits &>> UInt64(zeros &* 8), length: 8 &- zeros)
    }

    private static let asciiZeros: UInt64 = 0x3030_3030_3030_3030

    /// The eight digits of a number below 10⁸, first digit in the lowest byte.
    ///
    /// Splits the number into 4 + 4, 2 + 2 and 1 + 1 digits in lanes of one word, dividing by multiplication with
    /// reciprocals: no table and no loop.
    @inline(__always)
    private static func eightDigits(_ value: UInt64) -> UInt64 {
        let high = value / 10_000
        let fours = high | (value &- high &* 10_000) &<< 32
        let hundreds = ((fours &* 10_486) &>> 20) & 0x7F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) &<< 16
        let tens = ((twos &* 103) &>> 10) & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) &<< 8 | asciiZeros
    }
}
