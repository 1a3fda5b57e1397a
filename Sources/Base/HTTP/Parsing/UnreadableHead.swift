import SwiftletBytes

/// What the response to a malformed or incomplete head depends on. The lines are searched for it, not judged.
package struct UnreadableHead: Equatable, Sendable {
    /// Whether the method is HEAD, whose response has no content (RFC 9110 §9.3.2).
    package let isHead: Bool
    /// The value of the first complete `Origin` line; it may contain any bytes.
    package let origin: String?

    /// `head` begins after the last complete request, and ends at the limit for heads at the latest.
    init(_ head: borrowing Span<UInt8>) {
        var start = 0
        while start < head.count, head[start] == UInt8(ascii: "\r") || head[start] == UInt8(ascii: "\n") { start &+= 1 }
        isHead = Self.beginsWithHead(head, at: start)
        origin = Self.origin(head, after: head.firstLineFeed(from: start))
    }

    private static func beginsWithHead(_ bytes: borrowing Span<UInt8>, at start: Int) -> Bool {
        let method = "HEAD ".utf8
        guard bytes.count &- start >= method.count else { return false }
        for (offset, byte) in method.enumerated() where bytes[start &+ offset] != byte { return false }
        return true
    }

    /// Searches the complete lines after the request line, up to the first empty one.
    private static func origin(_ head: borrowing Span<UInt8>, after requestLineEnd: Int?) -> String? {
        var previous = requestLineEnd
        while let start = previous.map({ $0 &+ 1 }), let lineFeed = head.firstLineFeed(from: start) {
            let hasCarriageReturn = lineFeed > start && head[lineFeed &- 1] == UInt8(ascii: "\r")
            let line = start..<(hasCarriageReturn ? lineFeed &- 1 : lineFeed)
            if line.isEmpty { return nil }
            if let value = origin(head, line) { return value }
            previous = lineFeed
        }
        return nil
    }

    /// The value of the line if its name is `Origin`. Other lines, of which there may be thousands, are not parsed.
    private static func origin(_ head: borrowing Span<UInt8>, _ line: Range<Int>) -> String? {
        guard asciiLowercase(head[line.lowerBound]) == UInt8(ascii: "o"), let field = try? FieldLine.parse(head, line),
            head.equals(field.name, ignoringCaseOf: "origin")
        else { return nil }
        let value = head.extracting(field.value.range)
        return unsafe value.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
