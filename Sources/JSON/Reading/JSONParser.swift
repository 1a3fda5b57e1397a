/// Parses JSON strictly by RFC 8259, in one pass and linear time.
///
/// Besides malformed text it refuses a byte order mark, lone surrogates, invalid UTF-8 and bytes after the value. Of
/// members with the same name the last wins. Numbers keep their digits.
public struct JSONParser: ~Escapable {
    let bytes: Span<UInt8>
    let maximumDepth: Int
    var index = 0

    /// The maximum for `maximumDepth`: the parser is recursive, and the stack of a loop's thread is finite.
    public static let depthLimit = 512

    /// Parses a text that consists of one value.
    ///
    /// Arrays and objects nested deeper than `maximumDepth` (at most ``depthLimit``) are refused.
    public static func parse(_ bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
        try parse(bytes.span, maximumDepth: maximumDepth)
    }

    /// Parses a text that consists of one value.
    public static func parse(_ bytes: Span<UInt8>, maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes, maximumDepth: maximumDepth)
        return try parser.parseText()
    }

    @_lifetime(copy bytes)
    private init(_ bytes: Span<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = min(maximumDepth, Self.depthLimit)
    }

    private mutating func parseText() throws(JSONError) -> JSONValue {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONError(.byteOrderMark, at: 0)
        }
        skipWhitespace()
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard index == bytes.count else { throw JSONError(.trailingBytes, at: index) }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: index) }
        switch bytes[index] {
        case UInt8(ascii: "{"): return .object(try parseObject(depth: depth))
        case UInt8(ascii: "["): return .array(try parseArray(depth: depth))
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
        case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", .null)
        default: throw JSONError(.unexpectedByte, at: index)
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONObject {
        try enter(depth)
        var object = JSONObject()
        if takes(UInt8(ascii: "}")) { return object }
        repeat {
            guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: index) }
            guard bytes[index] == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: index) }
            let name = try parseString()
            skipWhitespace()
            guard takes(UInt8(ascii: ":")) else { throw unexpected() }
            object.set(try parseValue(depth: depth + 1), for: name)
            skipWhitespace()
        } while takes(UInt8(ascii: ","))
        guard takes(UInt8(ascii: "}")) else { throw unexpected() }
        return object
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
        try enter(depth)
        var values: [JSONValue] = []
        if takes(UInt8(ascii: "]")) { return values }
        repeat {
            values.append(try parseValue(depth: depth + 1))
            skipWhitespace()
        } while takes(UInt8(ascii: ","))
        guard takes(UInt8(ascii: "]")) else { throw unexpected() }
        return values
    }

    /// Skips an opening bracket and the white space after it.
    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth < maximumDepth else { throw JSONError(.tooDeep, at: index) }
        index &+= 1
        skipWhitespace()
    }

    /// Skips `byte` and the white space after it; false when another byte comes next.
    private mutating func takes(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index &+= 1
        skipWhitespace()
        return true
    }

    private func unexpected() -> JSONError {
        JSONError(index < bytes.count ? .unexpectedByte : .unexpectedEnd, at: index)
    }

    private mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index &+= 1
            default: return
            }
        }
    }

    private mutating func parseNumber() throws(JSONError) -> JSONNumber {
        guard let length = JSONNumber.length(in: bytes, at: index) else {
            throw JSONError(.invalidNumber, at: index)
        }
        let end = index &+ length
        // As in `01`: the number ends after the zero, and no other token may follow directly.
        if end < bytes.count, bytes[end] &- UInt8(ascii: "0") < 10 { throw JSONError(.invalidNumber, at: index) }
        defer { index = end }
        return JSONNumber(validated: text(from: index, to: end, isASCII: true))
    }

    private mutating func parseLiteral(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes.hasLiteral(word, at: index) else { throw JSONError(.invalidLiteral, at: index) }
        index &+= word.utf8CodeUnitCount
        return value
    }
}
