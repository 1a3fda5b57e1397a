/// Splits SQL text into words and the few punctuation marks that ``SQLClassifier`` looks at (manual §4.1).
struct SQLScanner {
    enum Token: Equatable {
        /// An unquoted identifier or keyword, in lower case.
        case word(String)
        case quotedIdentifier
        case openingParenthesis
        case dot
        /// Literals, operators, other punctuation.
        case other
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// False for text with quoting that is not followed here: backslashes and dollar
    /// quotes. What comes before it is read correctly.
    var understandsQuoting: Bool {
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\\") { return false }
            guard byte == UInt8(ascii: "$") else { continue }
            guard index + 1 < bytes.count, Self.isDigit(bytes[index + 1]) else { return false }
        }
        return true
    }

    mutating func next() -> Token? {
        index = SQLSpace.skip(in: bytes, from: index, to: bytes.count)
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "("):
            index += 1
            return .openingParenthesis
        case UInt8(ascii: "."):
            index += 1
            return .dot
        case UInt8(ascii: "\""):
            skipQuoted(by: byte)
            return .quotedIdentifier
        case UInt8(ascii: "'"):
            skipQuoted(by: byte)
            return .other
        case _ where Self.isWordByte(byte):
            return .word(takeWord())
        default:
            index += 1
            return .other
        }
    }

    private mutating func takeWord() -> String {
        let start = index
        while index < bytes.count, Self.isWordByte(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
    }

    private mutating func skipQuoted(by quote: UInt8) {
        index += 1
        while index < bytes.count, bytes[index] != quote { index += 1 }
        index += 1
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
            true
        default:
            false
        }
    }
}
