// Loops over bytes that the parser and the types share. Eight bytes at a time where the input is long.

/// ASCII only: other bytes stay as they are.
@inline(__always)
func asciiLowercase(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
}

@inline(__always)
func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F
}

/// A control byte or a space.
@inline(__always)
func isBlank(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F
}

/// `OWS` of RFC 9110 §5.6.3.
@inline(__always)
func isOptionalWhitespace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

/// Nil unless the byte is a hexadecimal digit.
@inline(__always)
func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    let digit = byte &- UInt8(ascii: "0")
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
}

/// One byte eight times.
@inline(__always)
private func eight(_ byte: UInt8) -> UInt64 {
    0x0101_0101_0101_0101 &* UInt64(byte)
}

extension Span<UInt8> {
    /// The eight bytes at `offset`, the first one lowest; they must be there.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        // Unsafe in the type only: the offset is checked.
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The same without a check, for the loops below, which have just made it.
    @inline(__always)
    private func uncheckedWord(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Where the first control byte at or behind `start` stands, or `count`.
    @inline(__always)
    func firstControl(from start: Int) -> Int {
        precondition(start >= 0, "offsets are not negative")
        var index = start
        while index &+ 16 <= count {
            let first = controls(in: uncheckedWord(at: index))
            let second = controls(in: uncheckedWord(at: index &+ 8))
            if first | second != 0 {
                return first != 0
                    ? index &+ first.trailingZeroBitCount &>> 3
                    : index &+ 8 &+ second.trailingZeroBitCount &>> 3
            }
            index &+= 16
        }
        if index &+ 8 <= count {
            let marks = controls(in: uncheckedWord(at: index))
            if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count, !isControl(self[index]) { index &+= 1 }
        return index
    }

    /// Marks control bytes by bit 7; only the lowest mark is sure to be true.
    @inline(__always)
    private func controls(in word: UInt64) -> UInt64 {
        // A difference borrows only from bytes above a true hit; the sum of seven bits and one carries nowhere.
        ((word &- eight(0x20)) | ((word & eight(0x7F)) &+ eight(0x01))) & ~word & eight(0x80)
    }

    /// Where the first line feed at or behind `start` stands, or nil.
    @inline(__always)
    func firstLineFeed(from start: Int) -> Int? {
        precondition(start >= 0, "offsets are not negative")
        var index = start
        while index &+ 8 <= count {
            let other = uncheckedWord(at: index) ^ eight(0x0A)
            let marks = (other &- eight(0x01)) & ~other & eight(0x80)
            if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count {
            if self[index] == 0x0A { return index }
            index &+= 1
        }
        return nil
    }

    /// Passes over letters, digits, "-" and "." (and "/"), eight at a time: says where something else may stand.
    ///
    /// It may stop early, in particular near the end: go on byte by byte from there.
    @inline(__always)
    func skipPlain(from start: Int, includingSlash: Bool) -> Int {
        precondition(start >= 0, "offsets are not negative")
        var index = start
        while index &+ 8 <= count {
            let word = uncheckedWord(at: index)
            // Seven bits each, so that no sum carries into the next byte; bit 7 then says "at least".
            let low = word & eight(0x7F)
            let folded = low | eight(0x20)
            let letters = (folded &+ eight(0x80 - 0x61)) & ~(folded &+ eight(0x80 - 0x7B))
            // "-", ".", "/" and the digits are neighbours.
            var others = (low &+ eight(0x80 - 0x2D)) & ~(low &+ eight(0x80 - 0x3A))
            if !includingSlash { others &= (low ^ eight(0x2F)) &+ eight(0x7F) }
            let marks = (~(letters | others) | word) & eight(0x80)
            if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        return index
    }

    /// Compares a part of a line without regard to case.
    ///
    /// `lowercase` has no upper-case letters, "@", "[" to "_". Then setting bit 5 makes no two bytes equal that are not:
    /// only control bytes become digits and marks by it, and those do not stand in lines.
    @inline(__always)
    func equals(_ range: ByteRange, ignoringCaseOf lowercase: StaticString) -> Bool {
        let length = lowercase.utf8CodeUnitCount
        guard range.count == length, range.end <= count else { return false }
        let wanted = unsafe UnsafeRawPointer(lowercase.utf8Start)
        var offset = 0
        while offset &+ 8 <= length {
            let other = unsafe UInt64(littleEndian: wanted.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            guard word(at: range.start &+ offset) | eight(0x20) == other else { return false }
            offset &+= 8
        }
        while offset < length {
            let other = unsafe wanted.load(fromByteOffset: offset, as: UInt8.self)
            guard self[range.start &+ offset] | 0x20 == other else { return false }
            offset &+= 1
        }
        return true
    }
}
