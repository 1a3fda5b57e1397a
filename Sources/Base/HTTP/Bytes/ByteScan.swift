import SwiftletBytes

// Byte classes and scanning loops of the parser and the types. The loops take eight bytes at a time.

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

extension Span<UInt8> {
    /// Eight bytes, the first one lowest, without the bounds check, which the loops below have just made.
    @inline(__always)
    private func uncheckedWord(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// The index of the first control byte from `start` on, or `count`.
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

    /// Marks control bytes by bit 7. Only the lowest mark is reliable.
    @inline(__always)
    private func controls(in word: UInt64) -> UInt64 {
        // The subtraction borrows only from bytes above a true match; adding one to seven bits never carries.
        ((word &- UInt64.eightTimes(0x20)) | ((word & UInt64.eightTimes(0x7F)) &+ UInt64.eightTimes(0x01))) & ~word
            & UInt64.eightTimes(0x80)
    }

    /// The index of the first line feed from `start` on, or nil.
    @inline(__always)
    func firstLineFeed(from start: Int) -> Int? {
        precondition(start >= 0, "offsets are not negative")
        var index = start
        while index &+ 8 <= count {
            let other = uncheckedWord(at: index) ^ UInt64.eightTimes(0x0A)
            let marks = (other &- UInt64.eightTimes(0x01)) & ~other & UInt64.eightTimes(0x80)
            if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count {
            if self[index] == 0x0A { return index }
            index &+= 1
        }
        return nil
    }

    /// Skips letters, digits, "-" and "." (and "/"), eight at a time, and returns where it stopped.
    ///
    /// It may stop early, in particular near the end: callers go on byte by byte from there.
    @inline(__always)
    func skipPlain(from start: Int, includingSlash: Bool) -> Int {
        precondition(start >= 0, "offsets are not negative")
        var index = start
        while index &+ 8 <= count {
            let word = uncheckedWord(at: index)
            // Seven bits each, so that no sum carries into the next byte; bit 7 then says "at least".
            let low = word & UInt64.eightTimes(0x7F)
            let folded = low | UInt64.eightTimes(0x20)
            let letters = (folded &+ UInt64.eightTimes(0x80 - 0x61)) & ~(folded &+ UInt64.eightTimes(0x80 - 0x7B))
            // "-", ".", "/" and the digits are neighbors.
            var others = (low &+ UInt64.eightTimes(0x80 - 0x2D)) & ~(low &+ UInt64.eightTimes(0x80 - 0x3A))
            if !includingSlash { others &= (low ^ UInt64.eightTimes(0x2F)) &+ UInt64.eightTimes(0x7F) }
            let marks = (~(letters | others) | word) & UInt64.eightTimes(0x80)
            if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        return index
    }

    /// Compares a part of a line, ignoring case.
    ///
    /// `lowercase` must not contain upper-case letters, "@", or "[" to "_". Setting bit 5 then makes no different bytes
    /// equal: only control bytes turn into digits and punctuation by it, and lines contain none.
    @inline(__always)
    func equals(_ range: ByteRange, ignoringCaseOf lowercase: StaticString) -> Bool {
        let length = lowercase.utf8CodeUnitCount
        guard range.count == length, range.end <= count else { return false }
        let wanted = unsafe UnsafeRawPointer(lowercase.utf8Start)
        var offset = 0
        while offset &+ 8 <= length {
            let other = unsafe UInt64(littleEndian: wanted.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            guard word(at: range.start &+ offset) | UInt64.eightTimes(0x20) == other else { return false }
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
