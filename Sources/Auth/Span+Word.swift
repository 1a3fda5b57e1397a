extension Span<UInt8> {
    /// Eight bytes, the first one lowest. There must be that many from `index` on.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index <= count &- 8, "a word within the bytes")
        // In bounds by the line above, and any bits are a valid integer.
        return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

/// Looks at eight bytes at once ("SWAR"). A mark is the top bit of a byte; only the lowest mark of a result is exact.
enum ByteWord {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Marks quotes, backslashes and control characters: what is not plain text in a JSON string.
    @inline(__always)
    static func markStringSyntax(_ word: UInt64) -> UInt64 {
        (marksZero(word ^ ones &* 0x22) | marksZero(word ^ ones &* 0x5C) | (word &- ones &* 0x20) & ~word) & tops
    }

    /// How many bytes are before the lowest mark; eight without one.
    @inline(__always)
    static func bytesBeforeMark(_ marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }

    @inline(__always)
    private static func marksZero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
}
