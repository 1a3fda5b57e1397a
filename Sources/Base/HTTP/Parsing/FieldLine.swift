/// One line of the head or of the trailers (RFC 9112 §5).
enum FieldLine {
    /// Reads the field that begins at `start` in one pass, when its line is complete and plain.
    ///
    /// Nil does not mean that the line is malformed, only that ``parse(_:_:)`` has to judge it.
    @inline(__always)
    static func parseWhole(_ bytes: borrowing Span<UInt8>, from start: Int) -> (field: Field, next: Int)? {
        let colon = nameEnd(bytes, start..<bytes.count)
        guard colon < bytes.count, colon > start, bytes[colon] == UInt8(ascii: ":") else { return nil }
        let end = bytes.firstControl(from: colon &+ 1)
        guard end &+ 1 < bytes.count, bytes[end] == UInt8(ascii: "\r"), bytes[end &+ 1] == UInt8(ascii: "\n") else {
            return nil
        }
        let value = trimmed(bytes, (colon &+ 1)..<end)
        return (Field(name: ByteRange(start, colon), value: value), end &+ 2)
    }

    /// Reads a field from its line, which has no control bytes other than tabs.
    static func parse(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) throws(ParseError) -> Field {
        let colon = nameEnd(bytes, line)
        guard colon < line.upperBound, colon > line.lowerBound, bytes[colon] == UInt8(ascii: ":") else {
            // RFC 9112 §5.2: a server must refuse a folded field or replace the fold. §5.1: it must refuse white space
            // before the colon.
            throw isOptionalWhitespace(bytes[line.lowerBound]) ? .foldedField : .malformedField
        }
        let value = trimmed(bytes, (colon &+ 1)..<line.upperBound)
        return Field(name: ByteRange(line.lowerBound, colon), value: value)
    }

    @inline(__always)
    private static func nameEnd(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) -> Int {
        var index = min(bytes.skipPlain(from: line.lowerBound, includingSlash: false), line.upperBound)
        while index < line.upperBound, ByteSet.token.contains(bytes[index]) { index &+= 1 }
        return index
    }

    @inline(__always)
    private static func trimmed(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> ByteRange {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isOptionalWhitespace(bytes[start]) { start &+= 1 }
        while end > start, isOptionalWhitespace(bytes[end &- 1]) { end &-= 1 }
        return ByteRange(start, end)
    }
}
