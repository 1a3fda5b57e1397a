/// What the response to a malformed or incomplete head depends on. The lines are searched for it, not judged.
package struct UnreadableHead: Equatable, Sendable {
    /// Whether the method is HEAD, whose response has no content (RFC 9110 §9.3.2).
    package let isHead: Bool
    /// The value of the first complete `Origin` line; it may contain any bytes.
    package let origin: String?

    /// `bytes` are all that have arrived since the last complete request.
    package init(_ bytes: borrowing Span<UInt8>) {
        // Fields have offsets of 16 bits (ByteRange); a valid head is no longer than that.
        let head = bytes.extracting(..<min(bytes.count, Int(UInt16.max)))
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
            if let field = try? FieldLine.parse(head, line), head.equals(field.name, ignoringCaseOf: "origin") {
                let value = head.extracting(field.value.range)
                return unsafe value.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
            }
            previous = lineFeed
        }
        return nil
    }
}
