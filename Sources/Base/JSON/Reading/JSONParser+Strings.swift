import SwiftletBytes

extension JSONParser {
    /// The text of the string or name that the scanner has just passed.
    func string() throws(JSONError) -> String {
        let start = scanner.start &+ 1
        let end = scanner.closingQuote
        if !scanner.isASCII { try checkUTF8(from: start, to: end) }
        return scanner.hasEscapes ? unescape(from: start, to: end) : text(start, end, isASCII: scanner.isASCII)
    }

    /// A text from bytes that are known to be valid UTF-8.
    func text(_ start: Int, _ end: Int, isASCII: Bool) -> String {
        String(copying: unsafe UTF8Span(unchecked: scanner.bytes.extracting(start..<end), isKnownASCII: isASCII))
    }

    private func checkUTF8(from start: Int, to end: Int) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: scanner.bytes.extracting(start..<end))
        } catch {
            throw JSONError(.invalidUTF8, at: start + error.byteOffsets.lowerBound)
        }
    }

    /// Decodes the escapes of valid UTF-8, which the scanner has checked. The result is never longer than its source.
    private func unescape(from start: Int, to end: Int) -> String {
        let bytes = scanner.bytes
        var buffer = ByteBuffer(minimumCapacity: end &- start)
        var position = start
        while position < end {
            let runStart = position
            while position < end, bytes[position] != UInt8(ascii: "\\") { position &+= 1 }
            buffer.append(bytes.extracting(runStart..<position))
            if position < end { position &+= appendEscaped(at: position, to: &buffer) }
        }
        return String(copying: unsafe UTF8Span(unchecked: buffer.bytes))
    }

    /// Decodes the escape whose backslash is at `start` (RFC 8259 §7), and returns its length.
    private func appendEscaped(at start: Int, to buffer: inout ByteBuffer) -> Int {
        let letter = scanner.bytes[start &+ 1]
        switch letter {
        case UInt8(ascii: "b"): buffer.append(UInt8(ascii: "\u{8}"))
        case UInt8(ascii: "f"): buffer.append(UInt8(ascii: "\u{C}"))
        case UInt8(ascii: "n"): buffer.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): buffer.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): buffer.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "u"): return appendScalar(at: start, to: &buffer)
        default: buffer.append(letter)
        }
        return 2
    }

    /// Decodes four hexadecimal digits, or the eight of a surrogate pair.
    private func appendScalar(at start: Int, to buffer: inout ByteBuffer) -> Int {
        let first = scanner.bytes.hexadecimal(at: start &+ 2) ?? 0
        let second = Unicode.Scalar(first) == nil ? scanner.bytes.hexadecimal(at: start &+ 8) : nil
        let value = second.map { 0x1_0000 + (first & 0x3FF) << 10 + $0 & 0x3FF } ?? first
        let character = Unicode.Scalar(value).flatMap { UTF8.encode($0) }
        for byte in character ?? UTF8.encodedReplacementCharacter { buffer.append(byte) }
        return second == nil ? 6 : 12
    }
}
