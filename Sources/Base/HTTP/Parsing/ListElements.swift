/// The elements of a comma-separated value (RFC 9110 §5.6.1), trimmed, and including empty ones.
enum ListElements {
    @inline(__always)
    static func forEach(
        in bytes: borrowing Span<UInt8>,
        _ value: ByteRange,
        _ body: (borrowing Span<UInt8>, ByteRange) -> Void
    ) {
        var start = value.start
        while true {
            var comma = start
            while comma < value.end, bytes[comma] != UInt8(ascii: ",") { comma &+= 1 }
            var first = start
            var end = comma
            while first < end, isOptionalWhitespace(bytes[first]) { first &+= 1 }
            while end > first, isOptionalWhitespace(bytes[end &- 1]) { end &-= 1 }
            body(bytes, ByteRange(first, end))
            guard comma < value.end else { return }
            start = comma &+ 1
        }
    }
}
