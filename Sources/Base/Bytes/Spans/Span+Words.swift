extension Span<UInt8> {
    /// Eight bytes from `offset`, the first one lowest. Traps when there are fewer.
    @inlinable
    @inline(__always)
    package func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Up to eight bytes from `offset`, the first one lowest, with zeros above.
    @inlinable
    @inline(__always)
    package func upToEightBytes(at offset: Int) -> UInt64 {
        count &- offset >= 8 ? word(at: offset) : lastWord(at: offset)
    }

    /// The bytes from `offset` to the end, which are fewer than eight: the first one lowest, with zeros above.
    @inlinable
    @inline(__always)
    package func lastWord(at offset: Int) -> UInt64 {
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
