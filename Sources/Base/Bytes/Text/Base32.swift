/// Base32 without padding (RFC 4648 §6).
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (word, count) = (0, 0)
        for byte in bytes {
            word = word << 8 | Int(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[word >> count & 31])
            }
            word &= 0xFF
        }
        if count > 0 { text.append(alphabet[word << (5 - count) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Takes either case, and padding at the end; nil for other text.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (word, count) = (0, 0)
        var characters = Substring(text).utf8
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        for character in characters {
            guard let value = value(character) else { return nil }
            word = (word << 5 | value) & 0xFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> count))
            }
        }
        return bytes
    }

    private static func value(_ character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): Int(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
