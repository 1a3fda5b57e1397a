/// A time-ordered UUID (RFC 9562 §5.7): 48 bits of milliseconds, 74 random bits.
///
/// Rows that are inserted one after another get neighboring keys, which keeps the index compact and in the cache.
package struct UUIDv7: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// The random bits must be unpredictable where the identifier is not to be guessed.
    package init(millisecondsSince1970: Int, random: (UInt64, UInt64)) {
        let time = UInt64(truncatingIfNeeded: millisecondsSince1970) & 0xFFFF_FFFF_FFFF
        high = time &<< 16 | 0x7000 | random.0 & 0x0FFF
        low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
    }

    /// The usual form of 36 characters, in lower case.
    package var text: String {
        String(utf8: utf8.span)
    }

    /// The same without a `String`, for identifiers that are only copied into buffers.
    package var utf8: InlineArray<36, UInt8> { UUIDText.utf8(high, low) }
}
