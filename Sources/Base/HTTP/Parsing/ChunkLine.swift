import SwiftletBytes

/// `chunk-size [ chunk-ext ]` (RFC 9112 §7.1).
enum ChunkLine {
    /// As many hexadecimal digits as 64 bits have.
    static let maximumDigits = 16

    /// The size, and how many digits it has. `line` has no control bytes other than tabs.
    static func parse(
        _ bytes: borrowing Span<UInt8>,
        _ line: Range<Int>
    ) throws(ParseError) -> (size: Int, digits: Int) {
        var index = line.lowerBound
        var size: UInt64 = 0
        while index < line.upperBound, let digit = hexadecimalValue(bytes[index]) {
            guard index &- line.lowerBound < maximumDigits else { throw .malformedChunk }
            size = size &<< 4 | UInt64(digit)
            index &+= 1
        }
        guard index > line.lowerBound else { throw .malformedChunk }
        try skipExtensions(bytes, index..<line.upperBound)
        return (Int(clamping: size), index &- line.lowerBound)
    }

    /// RFC 9112 §7.1.1: unknown extensions are ignored, but they must be well-formed.
    private static func skipExtensions(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(ParseError) {
        var index = range.lowerBound
        while index < range.upperBound {
            skipWhitespace(bytes, &index, range.upperBound)
            guard index < range.upperBound, bytes[index] == UInt8(ascii: ";") else { throw .malformedChunk }
            index &+= 1
            skipWhitespace(bytes, &index, range.upperBound)
            guard skipToken(bytes, &index, range.upperBound) else { throw .malformedChunk }
            let nameEnd = index
            skipWhitespace(bytes, &index, range.upperBound)
            guard index < range.upperBound, bytes[index] == UInt8(ascii: "=") else {
                index = nameEnd
                continue
            }
            index &+= 1
            skipWhitespace(bytes, &index, range.upperBound)
            guard
                skipToken(bytes, &index, range.upperBound) || skipQuotedString(bytes, &index, range.upperBound)
            else { throw .malformedChunk }
        }
    }

    private static func skipWhitespace(_ bytes: borrowing Span<UInt8>, _ index: inout Int, _ end: Int) {
        while index < end, isOptionalWhitespace(bytes[index]) { index &+= 1 }
    }

    private static func skipToken(_ bytes: borrowing Span<UInt8>, _ index: inout Int, _ end: Int) -> Bool {
        let start = index
        while index < end, ByteSet.token.contains(bytes[index]) { index &+= 1 }
        return index > start
    }

    /// RFC 9110 §5.6.4.
    private static func skipQuotedString(_ bytes: borrowing Span<UInt8>, _ index: inout Int, _ end: Int) -> Bool {
        guard index < end, bytes[index] == UInt8(ascii: "\"") else { return false }
        index &+= 1
        while index < end, bytes[index] != UInt8(ascii: "\"") {
            index &+= bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < end else { return false }
        index &+= 1
        return true
    }
}
