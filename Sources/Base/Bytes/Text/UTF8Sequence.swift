/// The bytes of one character, validated by table 3-7 of the Unicode Standard.
package enum UTF8Sequence {
    /// The length of the well-formed sequence at `start`. For an ill-formed one, the negated length of the part that
    /// one U+FFFD replaces (Unicode §3.9, "maximal subpart").
    package static func length(in bytes: borrowing Span<UInt8>, at start: Int) -> Int {
        let lead = bytes[start]
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        let length: Int
        switch lead {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, lowest) = (3, 0xA0)
        case 0xED: (length, highest) = (3, 0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, lowest) = (4, 0x90)
        case 0xF4: (length, highest) = (4, 0x8F)
        case 0xF1...0xF3: length = 4
        default: return -1
        }
        var found = 1
        while found < length {
            guard start &+ found < bytes.count else { return -found }
            let byte = bytes[start &+ found]
            guard byte >= lowest, byte <= highest else { return -found }
            (lowest, highest) = (0x80, 0xBF)
            found &+= 1
        }
        return length
    }

    /// The length of a well-formed sequence of two or three bytes at the start of a word (the first byte lowest); 0 for
    /// any other, well-formed or not.
    @inlinable
    @inline(__always)
    package static func commonLength(_ word: UInt64) -> Int {
        // 110xxxxx 10xxxxxx, of which the lead's upper four bits are not all zero (C0, C1 would be overlong).
        if word & 0xC0E0 == 0x80C0 { return word & 0x1E != 0 ? 2 : 0 }
        // 1110xxxx 10xxxxxx 10xxxxxx, neither overlong (E0 80…9F) nor a surrogate (ED A0…BF).
        guard word & 0xC0_C0F0 == 0x80_80E0 else { return 0 }
        let critical = word & 0x200F
        return critical != 0 && critical != 0x200D ? 3 : 0
    }

    /// Whether the bytes are well-formed UTF-8 throughout.
    package static func isValid(_ bytes: borrowing Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if bytes.count &- index >= 8, bytes.word(at: index) & .byteHighBits == 0 {
                index &+= 8
                continue
            }
            let word = bytes.upToEightBytes(at: index)
            if word & .byteHighBits == 0 { return true }
            let common = commonLength(word)
            let length = common > 0 ? common : length(in: bytes, at: index)
            guard length > 0 else { return false }
            index &+= length
        }
        return true
    }
}
