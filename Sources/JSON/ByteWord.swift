/// Tests of eight bytes at once in one integer (SIMD within a register).
///
/// Every test sets bit 7 of each byte that matches. Only the **lowest** match is reliable, as those above it may be
/// artefacts of a borrow: callers use ``firstMatch(_:)``.
package enum ByteWord {
    // Computed, so that other targets can fold them into constants.
    @inlinable package static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable package static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Matches the bytes that need attention in a JSON string: quotes, backslashes, control characters (RFC 8259 §7).
    @inlinable
    @inline(__always)
    package static func matchesStringSyntax(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let control = (word &- ones &* 0x20) & ~word
        return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highBits
    }

    /// How many bytes precede the lowest match; 8 when there is none.
    @inlinable
    @inline(__always)
    package static func firstMatch(_ matches: UInt64) -> Int { matches.trailingZeroBitCount &>> 3 }

    /// A mask over the lowest `count` (0…8) bytes.
    @inline(__always)
    static func mask(lowest count: Int) -> UInt64 { ~(UInt64.max << UInt64(8 &* count)) }
}

extension Span<UInt8> {
    /// Eight bytes from `offset`, the first one lowest. Traps when there are fewer.
    @inlinable
    @inline(__always)
    package func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Up to eight bytes from `offset`, the first one lowest, with zeros above.
    @inline(__always)
    func upToEightBytes(at offset: Int) -> UInt64 {
        count &- offset >= 8 ? word(at: offset) : lastWord(at: offset)
    }

    /// The bytes from `offset` to the end, which are fewer than eight: the first one lowest, with zeros above.
    @inline(__always)
    func lastWord(at offset: Int) -> UInt64 {
        // Two loads cover every length; where they overlap, they agree.
        let length = count &- offset
        if length >= 4 {
            let low = UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let end = UInt32(
                littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            )
            return UInt64(low) | UInt64(end) &<< UInt64(8 &* (length &- 4))
        }
        if length >= 2 {
            let low = UInt16(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
            return UInt64(low) | UInt64(self[count &- 1]) &<< UInt64(8 &* (length &- 1))
        }
        return length == 1 ? UInt64(self[offset]) : 0
    }
}
