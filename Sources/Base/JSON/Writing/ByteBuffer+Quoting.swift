import SwiftletBytes

extension ByteBuffer {
    /// Appends a text in quotes, escaped as RFC 8259 §7 requires; runs without escapes are copied eight bytes at a
    /// time.
    ///
    /// Ill-formed UTF-8 becomes U+FFFD, unless the caller guarantees well-formed bytes, such as those of a `String`.
    mutating func appendQuoted(_ text: borrowing Span<UInt8>, isValidUTF8: Bool) {
        let count = text.count
        let nonASCII = isValidUTF8 ? 0 : UInt64.byteHighBits
        reserve(count &+ 2)
        appendReserved(UInt8(ascii: "\""))
        var index = 0
        while index < count {
            // The likely case first, before the position of a stop is computed.
            while count &- index >= 16 {
                let first = text.word(at: index)
                let second = text.word(at: index &+ 8)
                let stops = first.stringSyntaxMarks | second.stringSyntaxMarks
                guard (stops | (first | second) & nonASCII) == 0 else { break }
                appendReserved(first)
                appendReserved(second)
                index &+= 16
            }
            let available = min(count &- index, 8)
            let word = text.upToEightBytes(at: index)
            let stops = word.stringSyntaxMarks | word & nonASCII
            let clean = min(stops.bytesBeforeMark, available)
            appendReserved(word, length: clean)
            index &+= clean
            guard clean < available else { continue }
            if text[index] < 0x80 {
                appendEscape(text[index])
                index &+= 1
                reserve(count &- index &+ 1)
            } else {
                index = appendNonASCII(text, at: index)
            }
        }
        appendReserved(UInt8(ascii: "\""))
    }

    /// Appends the run of non-ASCII bytes at `start`, repaired, and returns where it ends.
    ///
    /// Room is reserved for the rest of the text and a quote, before the call and after it.
    private mutating func appendNonASCII(_ text: borrowing Span<UInt8>, at start: Int) -> Int {
        var index = start
        while index < text.count, text[index] >= 0x80 {
            let word = text.upToEightBytes(at: index)
            var length = UTF8Sequence.commonLength(word)
            if length == 0 { length = UTF8Sequence.length(in: text, at: index) }
            if length > 0 {
                appendReserved(word, length: length)
            } else {
                appendReplacement()
                reserve(text.count &- index &+ length &+ 1)
            }
            index &+= abs(length)
        }
        return index
    }

    private mutating func appendReplacement() {
        reserve(3)
        // U+FFFD in UTF-8.
        appendReserved(0xBD_BFEF, length: 3)
    }

    private mutating func appendEscape(_ byte: UInt8) {
        reserve(6)
        appendReserved(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): appendReserved(byte)
        case UInt8(ascii: "\u{8}"): appendReserved(UInt8(ascii: "b"))
        case UInt8(ascii: "\t"): appendReserved(UInt8(ascii: "t"))
        case UInt8(ascii: "\n"): appendReserved(UInt8(ascii: "n"))
        case UInt8(ascii: "\u{C}"): appendReserved(UInt8(ascii: "f"))
        case UInt8(ascii: "\r"): appendReserved(UInt8(ascii: "r"))
        default:
            let low = byte & 0xF
            appendReserved(UInt8(ascii: "u"))
            appendReserved(UInt8(ascii: "0"))
            appendReserved(UInt8(ascii: "0"))
            appendReserved(UInt8(ascii: "0") &+ byte &>> 4)
            appendReserved(low < 10 ? UInt8(ascii: "0") &+ low : UInt8(ascii: "a") &- 10 &+ low)
        }
    }
}
