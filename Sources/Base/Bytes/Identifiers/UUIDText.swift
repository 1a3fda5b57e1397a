/// The 8-4-4-4-12 text form of UUIDs (RFC 9562 §4): 36 characters.
package enum UUIDText {
    /// In either case.
    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8.span
        guard bytes.count == 36 else { return false }
        for position in bytes.indices {
            switch position {
            case 8, 13, 18, 23: guard bytes[position] == UInt8(ascii: "-") else { return false }
            default: guard hexadecimalValue(bytes[position]) != nil else { return false }
            }
        }
        return true
    }

    /// The first sixteen bytes, in lower case.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for byte in bytes.prefix(16) {
            words = (words.high << 8 | words.low >> 56, words.low << 8 | UInt64(byte))
        }
        return text(words.high, words.low)
    }

    /// In lower case.
    package static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(utf8: utf8(high, low).span)
    }

    static func utf8(_ high: UInt64, _ low: UInt64) -> InlineArray<36, UInt8> {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var span = text.mutableSpan
        // Any bytes are valid integers.
        var bytes = unsafe span.mutableBytes
        let second = hexadecimal(high)
        let third = hexadecimal(low &>> 32)
        bytes.storeBytes(of: hexadecimal(high &>> 32), toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: second &>> 32), toByteOffset: 14, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: third &>> 32), toByteOffset: 24, as: UInt32.self)
        bytes.storeBytes(of: hexadecimal(low), toByteOffset: 28, as: UInt64.self)
        return text
    }

    /// The eight hex digits of the lower half, the first one in the lowest byte.
    private static func hexadecimal(_ word: UInt64) -> UInt64 {
        // Spreads the digits over the bytes, all at once; the more significant halves come first.
        var digits = word & 0xFFFF_FFFF
        digits = (digits &>> 16 | digits &<< 32) & 0x0000_FFFF_0000_FFFF
        digits = (digits &>> 8 | digits &<< 16) & 0x00FF_00FF_00FF_00FF
        digits = (digits &>> 4 | digits &<< 8) & 0x0F0F_0F0F_0F0F_0F0F
        // Adding six makes digits from ten on carry into the upper four bits: these become letters.
        let letters = (digits &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
        return (digits &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).littleEndian
    }
}
