import SwiftletBytes

/// Reads a JSON text token by token, strictly by RFC 8259, without building values: the one grammar under the parser,
/// the rewriter of times and the claims of tokens.
///
/// It checks structure, literals, numbers and escapes, and that no control character stands in a string. It does **not**
/// check UTF-8: callers do where it matters, once for the whole text or for each string that is not ``isASCII``.
package struct JSONScanner: ~Escapable {
    /// What stands from ``start`` up to ``index``.
    package enum Token: Hashable, Sendable {
        case beginObject, endObject, beginArray, endArray
        /// A member's name; its value comes next.
        case name
        case string, number, `true`, `false`, null
        /// The text is complete.
        case end
    }

    package let bytes: Span<UInt8>
    /// The first byte of the last token, such as an opening quote.
    package private(set) var start = 0
    /// The first byte behind the last token. Behind a name, its colon is passed too.
    package private(set) var index = 0
    /// The closing quote of the last string or name.
    package private(set) var closingQuote = 0
    /// Whether there is a backslash in the last string or name.
    package private(set) var hasEscapes = false
    /// Whether the last string or name is ASCII as it stands in the text.
    package private(set) var isASCII = true

    private let maximumDepth: Int
    private let allowsLoneSurrogates: Bool
    private var containers = ContainerStack()
    private var expectation = Expectation.value

    private enum Expectation { case value, valueOrEnd, nameOrEnd, separator }

    /// Containers nested deeper than `maximumDepth` are refused. Halves of surrogate pairs in escapes are grammatical
    /// but no text (RFC 8259 §8.2).
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, maximumDepth: Int = 64, allowsLoneSurrogates: Bool = false) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.allowsLoneSurrogates = allowsLoneSurrogates
    }

    /// The next token; ``Token/end`` once and only behind a whole value.
    package mutating func next() throws(JSONError) -> Token {
        skipWhitespace()
        guard index < bytes.count else {
            guard expectation == .separator, containers.depth == 0 else { throw unexpected() }
            return .end
        }
        start = index
        switch expectation {
        case .value: return try value()
        case .valueOrEnd: return bytes[index] == UInt8(ascii: "]") ? leave(.endArray) : try value()
        case .nameOrEnd: return bytes[index] == UInt8(ascii: "}") ? leave(.endObject) : try name()
        case .separator: return try separated()
        }
    }

    /// Skips the rest of the value that begins with `first`, so that ``index`` is behind it.
    package mutating func skip(_ first: Token) throws(JSONError) {
        guard first == .beginObject || first == .beginArray else { return }
        let depth = containers.depth
        while containers.depth >= depth { _ = try next() }
    }

    private mutating func separated() throws(JSONError) -> Token {
        guard let isObject = containers.innermostIsObject else { throw JSONError(.trailingBytes, at: index) }
        switch bytes[index] {
        case UInt8(ascii: ","):
            index &+= 1
            skipWhitespace()
            guard index < bytes.count else { throw unexpected() }
            start = index
            return isObject ? try name() : try value()
        case UInt8(ascii: "}") where isObject: return leave(.endObject)
        case UInt8(ascii: "]") where !isObject: return leave(.endArray)
        default: throw unexpected()
        }
    }

    private mutating func value() throws(JSONError) -> Token {
        let first = bytes[index]
        switch first {
        case UInt8(ascii: "\""):
            try string()
            expectation = .separator
            return .string
        case UInt8(ascii: "{"): return try enter(.beginObject)
        case UInt8(ascii: "["): return try enter(.beginArray)
        case UInt8(ascii: "t"): return try literal("true", .true)
        case UInt8(ascii: "f"): return try literal("false", .false)
        case UInt8(ascii: "n"): return try literal("null", .null)
        default:
            guard first == UInt8(ascii: "-") || isDecimalDigit(first) else { throw unexpected() }
            return try number()
        }
    }

    private mutating func name() throws(JSONError) -> Token {
        guard bytes[index] == UInt8(ascii: "\"") else { throw unexpected() }
        try string()
        skipWhitespace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { throw unexpected() }
        index &+= 1
        expectation = .value
        return .name
    }

    private mutating func enter(_ token: Token) throws(JSONError) -> Token {
        guard containers.depth < maximumDepth else { throw JSONError(.tooDeep, at: index) }
        let isObject = token == .beginObject
        containers.push(isObject: isObject)
        index &+= 1
        expectation = isObject ? .nameOrEnd : .valueOrEnd
        return token
    }

    private mutating func leave(_ token: Token) -> Token {
        containers.pop()
        index &+= 1
        expectation = .separator
        return token
    }

    private mutating func literal(_ word: StaticString, _ token: Token) throws(JSONError) -> Token {
        guard bytes.hasLiteral(word, at: index) else { throw JSONError(.invalidLiteral, at: index) }
        index &+= word.utf8CodeUnitCount
        expectation = .separator
        return token
    }

    private mutating func number() throws(JSONError) -> Token {
        guard let length = JSONNumber.length(in: bytes, at: index) else { throw JSONError(.invalidNumber, at: index) }
        // As in `01`: the number ends after the zero, and no other token may follow directly.
        if index &+ length < bytes.count, isDecimalDigit(bytes[index &+ length]) {
            throw JSONError(.invalidNumber, at: index)
        }
        index &+= length
        expectation = .separator
        return .number
    }

    /// Moves from the opening quote to behind the closing one.
    private mutating func string() throws(JSONError) {
        var position = index &+ 1
        var nonASCII: UInt64 = 0
        hasEscapes = false
        while true {
            let available = min(bytes.count &- position, 8)
            let word = bytes.upToEightBytes(at: position)
            let clean = min(word.stringSyntaxMarks.bytesBeforeMark, available)
            nonASCII |= word & .byteHighBits & .mask(lowestBytes: clean)
            position &+= clean
            if clean == 8 { continue }
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                closingQuote = position
                isASCII = nonASCII == 0
                index = position &+ 1
                return
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position &+= try escapeLength(at: position)
            default:
                throw JSONError(.controlCharacter, at: position)
            }
        }
    }

    /// The length of the escape whose backslash is at `start` (RFC 8259 §7), with both halves of a surrogate pair.
    private func escapeLength(at start: Int) throws(JSONError) -> Int {
        guard bytes.count &- start >= 2 else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        switch bytes[start &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            guard let first = bytes.hexadecimal(at: start &+ 2) else { throw JSONError(.invalidEscape, at: start) }
            guard first & 0xF800 == 0xD800, !allowsLoneSurrogates else { return 6 }
            guard first < 0xDC00, bytes.hasLiteral("\\u", at: start &+ 6),
                let second = bytes.hexadecimal(at: start &+ 8), second & 0xFC00 == 0xDC00
            else { throw JSONError(.loneSurrogate, at: start) }
            return 12
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    private func unexpected() -> JSONError {
        JSONError(index < bytes.count ? .unexpectedByte : .unexpectedEnd, at: index)
    }

    @inline(__always)
    private mutating func skipWhitespace() {
        while index < bytes.count, bytes[index] <= 0x20 {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index &+= 1
            default: return
            }
        }
    }
}
