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

    /// `HTTP-version` of RFC 9112 §2.3, case-sensitive, at the end of the line.
    @inline(__always)
    private static func parseVersion(
        _ bytes: borrowing Span<UInt8>,
        _ line: Range<Int>
    ) throws(ParseError) -> HTTPVersion {
        let word = bytes.word(at: line.upperBound &- 8)
        if word == 0x312E_312F_5054_5448 { return .http11 }
        if word == 0x302E_312F_5054_5448 { return .http10 }
        // "HTTP/", a digit, ".", a digit.
        let digits: (UInt64, UInt64) = (word >> 40 & 0xFF, word >> 56)
        let isVersion = word & 0x00FF_00FF_FFFF_FFFF == 0x002E_002F_5054_5448
        throw isVersion && digits.0 &- 0x30 < 10 && digits.1 &- 0x30 < 10 ? .unsupportedVersion : .malformedRequestLine
    }

    @inline(__always)
    private static func parseMethod(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>
    ) throws(ParseError) -> Method {
        // The line is longer than eight bytes.
        let word = bytes.word(at: range.lowerBound)
        if word & 0xFFFF_FFFF == 0x2054_4547 { return .get }
        if word & 0xFF_FFFF_FFFF == 0x20_5453_4F50 { return .post }
        // RFC 9112 §3: 501 for a method longer than any that is known.
        guard range.count <= 32 else { throw .methodTooLong }
        return unsafe bytes.extracting(range).withUnsafeBufferPointer { name in
            unsafe Method(rawValue: String(decoding: name, as: UTF8.self))
        }
    }
}

extension RequestLine {
    /// Stands where none has been read yet.
    static var none: RequestLine {
        RequestLine(method: .get, target: Target(path: .none, query: .none), version: .http11)
    }
}
