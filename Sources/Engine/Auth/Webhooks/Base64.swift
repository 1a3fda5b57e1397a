import SwiftletBytes

/// Base64 with its first alphabet and with padding (RFC 4648 §4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes.span).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }

    /// nil for a text that is not Base64. Unused bits at the end do not matter, as in most decoders.
    static func decode(_ text: Substring) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in characters.dropLast(padding) {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        return bytes
    }
}
