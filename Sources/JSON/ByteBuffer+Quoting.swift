extension ByteBuffer {
    /// Appends a text in quotes, escaped as RFC 8259 §7 demands; clean runs are copied eight bytes at a time.
    ///
    /// Ill-formed UTF-8 becomes U+FFFD, unless the caller vouches for the bytes (those of a `String` are well-formed).
    mutating func appendQuoted(_ text: borrowing Span<UInt8>, isValidUTF8: Bool) {
        let count = text.count
        let nonASCII = isValidUTF8 ? 0 : ByteWord.highBits
        reserve(count &+ 2)
        appendReserved(UInt8(ascii: "\""))
        var index = 0
        while index < count {
            let available = min(count &- index, 8)
            let word = available == 8 ? text.word(at: index) : text.lastWord(at: index)
            let stops = ByteWord.matchesStringSyntax(word) | word & nonASCII
            let clean = min(ByteWord.firstMatch(stops), available)
            appendReserved(word, length: clean)
            index &+= clean
            if clean < available {
                index = appendUnclean(text, at: index)
                reserve(count &- index &+ 1)
            }
        }
        appendReserved(UInt8(ascii: "\""))
    }

    /// Appends what stands at `start` and is no plain ASCII; says where to go on.
    private mutating func appendUnclean(_ text: borrowing Span<UInt8>, at start: Int) -> Int {
        if text[start] < 0x80 {
            appendEscape(text[start])
            return start &+ 1
        }
        var index = start
        while index < text.count, text[index] >= 0x80 {
            let length = UTF8Sequence.length(in: text, at: index)
            if length > 0 {
                reserve(length)
                for offset in 0..<length { appendReserved(text[index &+ offset]) }
            } else {
                reserve(3)
                appendReserved(0xBD_BFEF, length: 3)
            }
            index &+= abs(length)
        }
        return index
    }

    private mutating func appendEscape(_ byte: UInt8) {
        reserve(6)
        appendReserved(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: appendReserved(byte)
        case 0x08: appendReserved(UInt8(ascii: "b"))
        case 0x09: appendReserved(UInt8(ascii: "t"))
        case 0x0A: appendReserved(UInt8(ascii: "n"))
        case 0x0C: appendReserved(UInt8(ascii: "f"))
        case 0x0D: appendReserved(UInt8(ascii: "r"))
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
