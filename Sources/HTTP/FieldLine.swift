/// One line of the head or of the trailers (RFC 9112 §5).
enum FieldLine {
    /// `line` has no control bytes but perhaps tabs.
    @inline(__always)
    static func parse(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) throws(ParseError) -> Field {
        var colon = line.lowerBound
        while colon < line.upperBound, ByteSet.token.contains(bytes[colon]) { colon &+= 1 }
        guard colon < line.upperBound, colon > line.lowerBound, bytes[colon] == UInt8(ascii: ":") else {
            throw fault(bytes, line)
        }
        var start = colon &+ 1
        var end = line.upperBound
        while start < end, isOptionalWhitespace(bytes[start]) { start &+= 1 }
        while end > start, isOptionalWhitespace(bytes[end &- 1]) { end &-= 1 }
        return Field(name: ByteRange(line.lowerBound, colon), value: ByteRange(start, end))
    }

    @inline(never)
    private static func fault(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) -> ParseError {
        // RFC 9112 §5.2: a server must refuse a folded field or replace the fold; §5.1: it must refuse a space before
        // the colon.
        isOptionalWhitespace(bytes[line.lowerBound]) ? .foldedField : .malformedField
    }
}
