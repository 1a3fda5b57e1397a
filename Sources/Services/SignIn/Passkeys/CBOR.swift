/// A value of CBOR (RFC 8949), of the kinds that authenticators write.
indirect enum CBOR: Hashable, Sendable {
    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case bool(Bool)
    case null

    var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
    var map: [CBOR: CBOR]? { if case .map(let value) = self { value } else { nil } }

    subscript(name: String) -> CBOR? { map?[.text(name)] }
    subscript(label: Int) -> CBOR? { map?[.integer(label)] }
}

/// Reads CBOR from bytes of a client.
///
/// Only what CTAP2 allows (its canonical form has definite lengths, no tags): nesting and numbers of elements are
/// limited, and a key occurs once in a map.
struct CBORReader {
    private static let maximumDepth = 8
    private static let maximumElements = 64

    private let bytes: [UInt8]
    private(set) var offset: Int

    init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// The bytes that were read since `start`.
    func bytes(since start: Int) -> [UInt8] { Array(bytes[start..<offset]) }

    /// The next value. Throws ``PasskeyFault/malformed``.
    mutating func next() throws(PasskeyFault) -> CBOR { try value(depth: 0) }

    private mutating func value(depth: Int) throws(PasskeyFault) -> CBOR {
        guard depth < Self.maximumDepth else { throw .malformed }
        let first = try take(1)[0]
        switch first >> 5 {
        case 0: return .integer(try argument(first))
        case 1: return .integer(-1 - (try argument(first)))
        case 2: return .bytes(try take(argument(first)))
        case 3:
            guard let text = String(validating: try take(argument(first)), as: UTF8.self) else { throw .malformed }
            return .text(text)
        case 4:
            var elements: [CBOR] = []
            for _ in 0..<(try count(first)) { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case 5:
            var members: [CBOR: CBOR] = [:]
            for _ in 0..<(try count(first)) {
                let key = try value(depth: depth + 1)
                guard key.integer != nil || key.text != nil, members[key] == nil else { throw .malformed }
                members[key] = try value(depth: depth + 1)
            }
            return .map(members)
        case 7:
            switch first & 31 {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .malformed
            }
        default: throw .malformed
        }
    }

    private mutating func count(_ first: UInt8) throws(PasskeyFault) -> Int {
        let count = try argument(first)
        guard count <= Self.maximumElements else { throw .malformed }
        return count
    }

    /// The number in the head of a value, RFC 8949 §3.
    private mutating func argument(_ first: UInt8) throws(PasskeyFault) -> Int {
        let short = first & 31
        guard short >= 24 else { return Int(short) }
        guard short <= 27 else { throw .malformed }
        let number = try take(1 << Int(short - 24)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let argument = Int(exactly: number) else { throw .malformed }
        return argument
    }

    private mutating func take(_ count: Int) throws(PasskeyFault) -> [UInt8] {
        guard count <= bytes.count - offset else { throw .malformed }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }
}
