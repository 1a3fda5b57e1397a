/// The first line of a request (RFC 9112 §3).
struct RequestLine: Sendable {
    let method: Method
    let target: Target
    let version: HTTPVersion

    /// `line` has no control bytes but perhaps tabs.
    @inline(__always)
    static func parse(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) throws(ParseError) -> RequestLine {
        // The shortest one is "A / HTTP/1.1".
        guard line.count >= 12 else { throw .malformedRequestLine }
        let version = try parseVersion(bytes, line)
        let targetEnd = line.upperBound &- 9
        guard bytes[targetEnd] == UInt8(ascii: " ") else { throw .malformedRequestLine }

        var methodEnd = line.lowerBound
        while ByteSet.token.contains(bytes[methodEnd]) { methodEnd &+= 1 }
        // Exactly one space on each side: RFC 9112 §3 allows to be lenient here and warns of it in the same breath.
        guard methodEnd > line.lowerBound, bytes[methodEnd] == UInt8(ascii: " "), methodEnd < targetEnd else {
            throw .malformedRequestLine
        }
        let method = try parseMethod(bytes, line.lowerBound..<methodEnd)
        let target = try Target.parse(bytes, (methodEnd &+ 1)..<targetEnd, method)
        return RequestLine(method: method, target: target, version: version)
    }

    /// `HTTP-version` of RFC 9112 §2.3, case-sensitive.
    @inline(__always)
    private static func parseVersion(
        _ bytes: borrowing Span<UInt8>,
        _ line: Range<Int>
    ) throws(ParseError) -> HTTPVersion {
        let start = line.upperBound &- 8
        let name: StaticString = "HTTP/"
        for offset in 0..<5 {
            guard unsafe bytes[start &+ offset] == name.utf8Start[offset] else { throw .malformedRequestLine }
        }
        let major = bytes[start &+ 5]
        let minor = bytes[start &+ 7]
        guard isDigit(major), bytes[start &+ 6] == UInt8(ascii: "."), isDigit(minor) else {
            throw .malformedRequestLine
        }
        guard major == UInt8(ascii: "1") else { throw .unsupportedVersion }
        switch minor {
        case UInt8(ascii: "1"): return .http11
        case UInt8(ascii: "0"): return .http10
        default: throw .unsupportedVersion
        }
    }

    @inline(__always)
    private static func parseMethod(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>
    ) throws(ParseError) -> Method {
        let first = bytes[range.lowerBound]
        if range.count == 3, first == UInt8(ascii: "G"), bytes[range.lowerBound &+ 1] == UInt8(ascii: "E"),
            bytes[range.lowerBound &+ 2] == UInt8(ascii: "T")
        {
            return .get
        }
        // RFC 9112 §3: 501 for a method longer than any that is known.
        guard range.count <= 32 else { throw .methodTooLong }
        return unsafe bytes.extracting(range).withUnsafeBufferPointer { name in
            unsafe Method(rawValue: String(decoding: name, as: UTF8.self))
        }
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}

extension RequestLine {
    /// Stands where none has been read yet.
    static var none: RequestLine {
        RequestLine(method: .get, target: Target(path: .none, query: .none), version: .http11)
    }
}
