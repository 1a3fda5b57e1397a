import SwiftletEssentials

/// Encodes text for header fields (RFC 2047). Control characters such as line breaks become spaces, to prevent header
/// injection.
enum EncodedWord {
    /// RFC 2047 §2: an encoded word has at most 75 characters, 12 of which are `=?UTF-8?B?` and `?=`.
    private static let maximumBytes = 45

    /// For unstructured fields such as Subject.
    static func text(_ text: String) -> String {
        let plain = cleaned(text)
        return needsEncoding(plain) ? encoded(plain) : plain
    }

    /// For a display name before an address: quoted or encoded.
    static func phrase(_ text: String) -> String {
        let plain = cleaned(text)
        if needsEncoding(plain) { return encoded(plain) }
        return "\"" + plain.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func cleaned(_ text: String) -> String {
        var plain = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            // Some mail clients treat the line and paragraph separators as line breaks.
            plain.unicodeScalars.append(isControl || scalar == "\u{2028}" || scalar == "\u{2029}" ? " " : scalar)
        }
        return plain
    }

    private static func needsEncoding(_ text: String) -> Bool {
        // Only encoded text can be folded into short lines; "=?" would be parsed as an encoded word.
        !text.utf8.allSatisfy { $0 < 0x7F } || text.utf8.count > 60 || text.contains("=?")
    }

    private static func encoded(_ text: String) -> String {
        var words: [String] = []
        var word: [UInt8] = []
        // An encoded word must not split a character (RFC 2047 §5).
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > maximumBytes {
                words.append(encoded(word))
                word = []
            }
            word += bytes
        }
        if !word.isEmpty || words.isEmpty { words.append(encoded(word)) }
        return words.joined(separator: "\r\n ")
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        "=?UTF-8?B?\(Data(bytes).base64EncodedString())?="
    }
}
