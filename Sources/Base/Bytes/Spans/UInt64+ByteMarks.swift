/// Eight bytes in one integer, the first one lowest, and tests of all of them at once (SIMD within a register).
///
/// A test marks each matching byte by its bit 7. Only the **lowest** mark is reliable, as those above it may be
/// artifacts of a borrow: callers use ``bytesBeforeMark``.
///
/// An extension and not a type, because members of `package` types are not inlined into other targets (Swift 6.3.1).
extension UInt64 {
    /// One byte eight times.
    @inlinable
    @inline(__always)
    package static func eightTimes(_ byte: UInt8) -> UInt64 { byteOnes &* UInt64(byte) }

    @inlinable package static var byteOnes: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable package static var byteHighBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Marks the bytes that need attention in a JSON string: quotes, backslashes, control characters (RFC 8259 §7).
    @inlinable package var stringSyntaxMarks: UInt64 {
        @inline(__always) get {
            let quote = self ^ (Self.byteOnes &* 0x22)
            let backslash = self ^ (Self.byteOnes &* 0x5C)
            let control = (self &- Self.byteOnes &* 0x20) & ~self
            let quotes = (quote &- Self.byteOnes) & ~quote
            let backslashes = (backslash &- Self.byteOnes) & ~backslash
            return (control | quotes | backslashes) & Self.byteHighBits
        }
    }

    /// How many bytes precede the lowest mark; 8 when there is none.
    @inlinable package var bytesBeforeMark: Int {
        @inline(__always) get { trailingZeroBitCount &>> 3 }
    }

    /// A mask over the lowest `count` (0…8) bytes.
    @inlinable
    @inline(__always)
    package static func mask(lowestBytes count: Int) -> UInt64 { ~(UInt64.max << UInt64(8 &* count)) }
}
