import SwiftletBytes

/// The first line of a request (RFC 9112 §3).
struct RequestLine: Sendable {
    let method: Method
    let target: Target
    let version: HTTPVersion

    /// Of "A / HTTP/1.1".
    private static let shortest = 12
    private static let longestMethod = 32

    // ASCII as little-endian words: the first character is the lowest byte.
    private static let http11: UInt64 = 0x312E_312F_5054_5448
    private static let http10: UInt64 = 0x302E_312F_5054_5448
    /// The places of the two digits in these words.
    private static let digits: UInt64 = 0xFF00_FF00_0000_0000
    /// With the space that follows.
    private static let get: UInt64 = 0x2054_4547
    private static let post: UInt64 = 0x20_5453_4F50

    /// `line` has no control bytes other than tabs.
    @inline(__always)
    static func parse(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) throws(ParseError) -> RequestLine {
        guard line.count >= shortest else { throw .malformedRequestLine }
        let version = try parseVersion(bytes, line)
        // Before the version and its space.
        let targetEnd = line.upperBound &- 9
        guard bytes[targetEnd] == UInt8(ascii: " ") else { throw .malformedRequestLine }

        var methodEnd = line.lowerBound
        while ByteSet.token.contains(bytes[methodEnd]) { methodEnd &+= 1 }
        // Exactly one space on each side. RFC 9112 §3 allows more leniency, and warns of it.
        guard methodEnd > line.lowerBound, bytes[methodEnd] == UInt8(ascii: " "), methodEnd < targetEnd else {
            throw .malformedRequestLine
        }
        let method = try parseMethod(bytes, line.lowerBound..<methodEnd)
        let target = try Target.parse(bytes, (methodEnd &+ 1)..<targetEnd, method)
        return RequestLine(method: method, target: target, version: version)
    }

    /// `HTTP-version` of RFC 9112 §2.3, case-sensitive, at the end of the line.
    ///
    /// A higher minor version is refused as well: RFC 9110 §2.5 recommends to read it as HTTP/1.1, but none is defined,
    /// so no client has a reason to send one.
    @inline(__always)
    private static func parseVersion(
        _ bytes: borrowing Span<UInt8>,
        _ line: Range<Int>
    ) throws(ParseError) -> HTTPVersion {
        let word = bytes.word(at: line.upperBound &- 8)
        if word == http11 { return .http11 }
        if word == http10 { return .http10 }
        let zero = UInt64(UInt8(ascii: "0"))
        let (major, minor) = (word >> 40 & 0xFF, word >> 56)
        let isVersion = word & ~digits == http10 & ~digits && major &- zero < 10 && minor &- zero < 10
        throw isVersion ? .unsupportedVersion : .malformedRequestLine
    }

    @inline(__always)
    private static func parseMethod(
        _ bytes: borrowing Span<UInt8>,
        _ range: Range<Int>
    ) throws(ParseError) -> Method {
        // The line is longer than eight bytes.
        let word = bytes.word(at: range.lowerBound)
        if word & 0xFFFF_FFFF == get { return .get }
        if word & 0xFF_FFFF_FFFF == post { return .post }
        // RFC 9112 §3: 501 for a method longer than any that is known.
        guard range.count <= longestMethod else { throw .methodTooLong }
        return unsafe bytes.extracting(range).withUnsafeBufferPointer { name in
            unsafe Method(rawValue: String(decoding: name, as: UTF8.self))
        }
    }
}

extension RequestLine {
    /// A placeholder for one that has not been read yet.
    static var none: RequestLine {
        RequestLine(method: .get, target: Target(path: .none, query: .none), version: .http11)
    }
}

/// The two supported versions; the parser refuses all others.
package enum HTTPVersion: Sendable {
    case http10
    case http11
}
