extension JSONParser {
    /// Reads the string whose opening quote is at `index`, and moves past its closing quote.
    mutating func parseString() throws(JSONError) -> String {
        let start = index &+ 1
        var end = start
        var nonASCII: UInt64 = 0
        var hasEscapes = false
        scan: while true {
            let available = min(bytes.count &- end, 8)
            let word = bytes.upToEightBytes(at: end)
            let clean = min(word.stringSyntaxMarks.bytesBeforeMark, available)
            nonASCII |= word & .byteHighBits & .mask(lowestBytes: clean)
            end &+= clean
            if clean == 8 { continue }
            guard end < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
            switch bytes[end] {
            case UInt8(ascii: "\""):
                break scan
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard bytes.count &- end >= 2 else { throw JSONError(.unexpectedEnd, at: bytes.count) }
                // Skips the escaped byte, even a quote; it is checked when the escape is decoded.
                end &+= 2
            default:
                throw JSONError(.controlCharacter, at: end)
            }
        }
        // Bytes after a backslash were not examined; a non-ASCII one is refused as an invalid escape.
        if nonASCII != 0 { try checkUTF8(from: start, to: end) }
        let string =
            hasEscapes ? try unescape(from: start, to: end) : text(from: start, to: end, isASCII: nonASCII == 0)
        index = end &+ 1
        return string
    }

    /// A text from bytes that are known to be valid UTF-8.
    func text(from start: Int, to end: Int, isASCII: Bool) -> String {
        String(copying: unsafe UTF8Span(unchecked: bytes.extracting(start..<end), isKnownASCII: isASCII))
    }

    private func checkUTF8(from start: Int, to end: Int) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(start..<end))
        } catch {
            throw JSONError(.invalidUTF8, at: start + error.byteOffsets.lowerBound)
        }
    }

    /// Decodes the escapes of valid UTF-8 (RFC 8259 §7). The result is never longer than its source.
    private func unescape(from start: Int, to end: Int) throws(JSONError) -> String {
        var buffer = ByteBuffer(minimumCapacity: end &- start)
        var position = start
        while position < end {
            let runStart = position
            while position < end, bytes[position] != UInt8(ascii: "\\") { position &+= 1 }
            buffer.append(bytes.extracting(runStart..<position))
            if position < end { try appendEscaped(at: &position, before: end, to: &buffer) }
        }
        return String(copying: unsafe UTF8Span(unchecked: buffer.bytes))
    }

    /// Decodes the escape whose backslash is at `position`, which is never the last byte before `end`.
    private func appendEscaped(at position: inout Int, before end: Int, to buffer: inout ByteBuffer) throws(JSONError) {
        let start = position
        position &+= 2
        switch bytes[start &+ 1] {
        case UInt8(ascii: "\""): buffer.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): buffer.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): buffer.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): buffer.append(UInt8(ascii: "\u{8}"))
        case UInt8(ascii: "f"): buffer.append(UInt8(ascii: "\u{C}"))
        case UInt8(ascii: "n"): buffer.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): buffer.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): buffer.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "u"):
            let scalar = try parseScalar(at: &position, before: end, escape: start)
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { buffer.append(byte) }
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    /// Reads the four hex digits at `position`, and the low surrogate that must follow a high one.
    private func parseScalar(at position: inout Int, before end: Int, escape: Int) throws(JSONError) -> Unicode.Scalar {
        guard let first = bytes.hexadecimal(at: position) else { throw JSONError(.invalidEscape, at: escape) }
        position &+= 4
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, end &- position >= 6, bytes[position] == UInt8(ascii: "\\"),
            bytes[position &+ 1] == UInt8(ascii: "u"), let second = bytes.hexadecimal(at: position &+ 2),
            (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (first & 0x3FF) << 10 + second & 0x3FF)
        else { throw JSONError(.loneSurrogate, at: escape) }
        position &+= 6
        return scalar
    }
}
