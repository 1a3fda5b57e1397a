import SwiftletBytes

/// The places of path and query in the head (RFC 9112 §3.2). Both are validated, neither is decoded.
struct Target: Sendable {
    /// Begins with "/"; empty for an absolute form without a path, "*" for `OPTIONS *`.
    let path: ByteRange
    /// Without its "?".
    let query: ByteRange

    @inline(__always)
    static func parse(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>,
        _ method: Method
    ) throws(ParseError) -> Target {
        guard !range.isEmpty else { throw .malformedRequestLine }
        if bytes[range.lowerBound] == UInt8(ascii: "/"), method != .connect {
            return try parsePathAndQuery(bytes, range)
        }
        return try parseOtherForm(bytes, range, method)
    }

    @inline(__always)
    private static func parsePathAndQuery(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>
    ) throws(ParseError) -> Target {
        let pathEnd = try scan(bytes, range, ByteSet.path, takesLoosePercent: false)
        let path = ByteRange(range.lowerBound, pathEnd)
        guard pathEnd < range.upperBound else { return Target(path: path, query: .none) }
        guard bytes[pathEnd] == UInt8(ascii: "?") else { throw .malformedTarget }
        let query = (pathEnd &+ 1)..<range.upperBound
        guard try scan(bytes, query, ByteSet.query, takesLoosePercent: true) == range.upperBound else {
            throw .malformedTarget
        }
        return Target(path: path, query: ByteRange(query.lowerBound, query.upperBound))
    }

    /// Skips bytes of the set and valid escapes (RFC 3986 §2.1), and returns the index of the first other byte.
    ///
    /// An encoded NUL is refused: no path contains one, and C strings would end there.
    @inline(__always)
    private static func scan(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>,
        _ allowed: ByteSet,
        takesLoosePercent: Bool
    ) throws(ParseError) -> Int {
        var index = min(bytes.skipPlain(from: range.lowerBound, includingSlash: true), range.upperBound)
        while index < range.upperBound {
            let byte = bytes[index]
            if allowed.contains(byte) {
                index &+= 1
            } else if byte == UInt8(ascii: "%") {
                guard index &+ 2 < range.upperBound, let high = hexadecimalValue(bytes[index &+ 1]),
                    let low = hexadecimalValue(bytes[index &+ 2])
                else {
                    // A percent sign alone stays one (WHATWG URL, "percent-decode"): `name=like.100%`.
                    guard takesLoosePercent else { throw .malformedEscape }
                    index &+= 1
                    continue
                }
                guard high | low != 0 else { throw .malformedEscape }
                index &+= 3
            } else {
                break
            }
        }
        return index
    }

    @inline(never)
    private static func parseOtherForm(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>,
        _ method: Method
    ) throws(ParseError) -> Target {
        if method == .connect {
            // The authority form belongs to CONNECT, and this server is not a proxy (RFC 9110 §9.3.6).
            guard Authority.isValid(bytes, range, portIsRequired: true) else { throw .malformedTarget }
            throw .connectNotImplemented
        }
        if bytes[range.lowerBound] == UInt8(ascii: "*") {
            guard range.count == 1, method == .options else { throw .malformedTarget }
            return Target(path: ByteRange(range.lowerBound, range.upperBound), query: .none)
        }
        return try parseAbsoluteForm(bytes, range)
    }

    /// RFC 9112 §3.2.2: a server must accept it, and ignore `Host`, on which nothing depends here.
    private static func parseAbsoluteForm(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>
    ) throws(ParseError) -> Target {
        guard let authorityStart = authorityStart(bytes, range) else { throw .malformedTarget }
        var authorityEnd = authorityStart
        while authorityEnd < range.upperBound, bytes[authorityEnd] != UInt8(ascii: "/"),
            bytes[authorityEnd] != UInt8(ascii: "?")
        {
            authorityEnd &+= 1
        }
        guard Authority.isValid(bytes, authorityStart..<authorityEnd, portIsRequired: false) else {
            throw .malformedTarget
        }
        return try parsePathAndQuery(bytes, authorityEnd..<range.upperBound)
    }

    private static func authorityStart(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        let schemes: [StaticString] = ["http://", "https://"]
        for scheme in schemes where range.count > scheme.utf8CodeUnitCount {
            let end = range.lowerBound &+ scheme.utf8CodeUnitCount
            if bytes.equals(ByteRange(range.lowerBound, end), ignoringCaseOf: scheme) { return end }
        }
        return nil
    }
}
