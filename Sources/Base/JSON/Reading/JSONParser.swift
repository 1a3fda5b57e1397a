/// Parses JSON strictly by RFC 8259, in one pass and linear time.
///
/// Besides malformed text it refuses a byte order mark, lone surrogates, invalid UTF-8 and bytes after the value. Of
/// members with the same name the last wins. Numbers keep their digits.
public struct JSONParser: ~Escapable {
    var scanner: JSONScanner

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
        scanner = JSONScanner(bytes, maximumDepth: min(maximumDepth, Self.depthLimit))
    }

    private mutating func parseText() throws(JSONError) -> JSONValue {
        let bytes = scanner.bytes
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw JSONError(.byteOrderMark, at: 0)
        }
        let value = try parseValue(scanner.next())
        _ = try scanner.next()
        return value
    }

    private mutating func parseValue(_ first: JSONScanner.Token) throws(JSONError) -> JSONValue {
        switch first {
        case .beginObject: return .object(try parseObject())
        case .beginArray: return .array(try parseArray())
        case .string: return .string(try string())
        case .number: return .number(JSONNumber(validated: text(scanner.start, scanner.index, isASCII: true)))
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .null: return .null
        // The scanner begins no value with these.
        case .name, .endObject, .endArray, .end: throw JSONError(.unexpectedByte, at: scanner.start)
        }
    }

    private mutating func parseObject() throws(JSONError) -> JSONObject {
        var object = JSONObject()
        while try scanner.next() == .name {
            let name = try string()
            object.set(try parseValue(scanner.next()), for: name)
        }
        return object
    }

    private mutating func parseArray() throws(JSONError) -> [JSONValue] {
        var values: [JSONValue] = []
        while true {
            let token = try scanner.next()
            if token == .endArray { return values }
            values.append(try parseValue(token))
        }
    }
}
