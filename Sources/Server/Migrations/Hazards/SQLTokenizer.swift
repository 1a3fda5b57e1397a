import SwiftletPostgres

/// Splits SQL text into tokens, without comments and space. Text that is cut off ends with its last token.
struct SQLTokenizer {
    private let bytes: [UInt8]
    private var index: Int
    private let end: Int

    /// Those in `range` of the text; positions are those in the whole text.
    static func tokens(_ bytes: [UInt8], in range: Range<Int>? = nil) -> [SQLToken] {
        let range = range ?? 0..<bytes.count
        var tokenizer = SQLTokenizer(bytes: bytes, index: range.lowerBound, end: range.upperBound)
        var tokens: [SQLToken] = []
        while let token = tokenizer.next() { tokens.append(token) }
        return tokens
    }

    private init(bytes: [UInt8], index: Int, end: Int) {
        self.bytes = bytes
        self.index = index
        self.end = end
    }

    private mutating func next() -> SQLToken? {
        index = SQLSpace.skip(in: bytes, from: index, to: end)
        guard index < end else { return nil }
        let start = index
        let kind = take()
        return SQLToken(kind: kind, range: start..<index)
    }

    private mutating func take() -> SQLToken.Kind {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "'"):
            skipQuoted(by: byte, escapes: false)
            return .string(body: nil)
        case UInt8(ascii: "\""):
            let start = index + 1
            skipQuoted(by: byte, escapes: false)
            let name = String(decoding: bytes[min(start, end)..<max(start, min(index - 1, end))], as: UTF8.self)
            return .quotedName(name.replacing("\"\"", with: "\""))
        case UInt8(ascii: "$"):
            if let body = takeDollarQuoted() { return .string(body: body) }
        case _ where Self.isWordByte(byte):
            return takeWord()
        default: break
        }
        index += 1
        return .sign(byte)
    }

    private mutating func takeWord() -> SQLToken.Kind {
        let start = index
        while index < end, Self.isWordByte(bytes[index]) || bytes[index] == UInt8(ascii: "$") { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        guard index < end, bytes[index] == UInt8(ascii: "'"), ["e", "b", "x", "n"].contains(word) else {
            return .word(word)
        }
        skipQuoted(by: UInt8(ascii: "'"), escapes: word == "e")
        return .string(body: nil)
    }

    /// A doubled mark stands for itself.
    private mutating func skipQuoted(by quote: UInt8, escapes: Bool) {
        index += 1
        while index < end {
            let byte = bytes[index]
            index += 1
            if escapes, byte == UInt8(ascii: "\\") {
                index = min(index + 1, end)
            } else if byte == quote {
                guard index < end, bytes[index] == quote else { return }
                index += 1
            }
        }
    }

    /// nil where the sign begins no quotation, such as that of a parameter.
    private mutating func takeDollarQuoted() -> Range<Int>? {
        var close = index + 1
        while close < end, Self.isWordByte(bytes[close]) { close += 1 }
        guard close < end, bytes[close] == UInt8(ascii: "$") else { return nil }
        if close > index + 1, Self.isDigit(bytes[index + 1]) { return nil }
        let tag = bytes[index...close]
        let start = close + 1
        var place = start
        while place + tag.count <= end {
            if bytes[place] == UInt8(ascii: "$"), bytes[place..<(place + tag.count)].elementsEqual(tag) {
                index = place + tag.count
                return start..<place
            }
            place += 1
        }
        index = end
        return start..<end
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

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
