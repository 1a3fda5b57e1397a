/// A place in the text of one parameter.
struct Cursor {
    let text: String
    let bytes: [UInt8]
    private(set) var index = 0
    /// Whether a brace was met that does not end an array. Others are not looked at then: each would cost another walk
    /// to the end.
    var hasLooseBrace = false
    /// How deep the parser is in nested parentheses.
    private var depth = 0

    /// Deeper nesting is refused: each level costs a frame of the stack.
    private static let maximumDepth = 48

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index >= bytes.count }
    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    func byte(at distance: Int) -> UInt8? {
        index + distance < bytes.count ? bytes[index + distance] : nil
    }

    /// What has not been read yet.
    var rest: String { String(decoding: bytes[index...], as: UTF8.self) }

    func text(from start: Int) -> String { String(decoding: bytes[start..<index], as: UTF8.self) }

    func starts(with word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - index >= count else { return false }
        for offset in 0..<count where unsafe bytes[index + offset] != word.utf8Start[offset] { return false }
        return true
    }

    mutating func advance() { index += 1 }

    mutating func goBack(to position: Int) { index = position }

    mutating func take(_ word: StaticString) -> Bool {
        guard starts(with: word) else { return false }
        index += word.utf8CodeUnitCount
        return true
    }

    mutating func takeRest() -> String {
        defer { index = bytes.count }
        return rest
    }

    mutating func skipSpaces() {
        while byte == UInt8(ascii: " ") { index += 1 }
    }

    /// A separator, which spaces may surround.
    mutating func takeSpaced(_ word: StaticString) -> Bool {
        let start = index
        skipSpaces()
        guard take(word) else {
            index = start
            return false
        }
        skipSpaces()
        return true
    }

    mutating func expect(_ word: StaticString) throws(ParseFault) {
        guard take(word) else { throw fault("expecting \"\(word)\"") }
    }

    mutating func expectEnd() throws(ParseFault) {
        guard isAtEnd else { throw fault("expecting end of input") }
    }

    mutating func enter() throws(ParseFault) {
        depth += 1
        if depth > Self.maximumDepth { throw fault("nested too deeply") }
    }

    mutating func leave() { depth -= 1 }

    /// A fault at the current place.
    func fault(_ expectation: String, quote: String = "\"") -> ParseFault {
        let found =
            isAtEnd ? "unexpected end of input" : "unexpected \(quote)\(String(rest.first ?? " "))\(quote)"
        let column = String(decoding: bytes[..<min(index, bytes.count)], as: UTF8.self).count + 1
        return ParseFault(column: column, details: "\(found) \(expectation)")
    }
}

/// Where the text of a parameter cannot be read, and why.
struct ParseFault: Error, Hashable {
    /// In characters, beginning with 1.
    var column: Int
    var details: String
}
