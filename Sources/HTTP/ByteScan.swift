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

private let ones: UInt64 = 0x0101_0101_0101_0101
private let highBits: UInt64 = 0x8080_8080_8080_8080

extension Span<UInt8> {
    /// The next eight bytes, the first one lowest. The caller has seen that they are there.
    @inline(__always)
    private func word(at offset: Int) -> UInt64 {
        // In bounds: both callers below compare with `count` first.
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Where the first control byte at or behind `start` stands, or `count`.
    @inline(__always)
    func firstControl(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let word = word(at: index)
            let delete = word ^ (ones &* 0x7F)
            // Borrows make false hits only above a true one, so that the lowest hit is true.
            let hits = (((word &- ones &* 0x20) & ~word) | ((delete &- ones) & ~delete)) & highBits
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count, !isControl(self[index]) { index &+= 1 }
        return index
    }

    /// Where the first line feed at or behind `start` stands, or nil.
    @inline(__always)
    func firstLineFeed(from start: Int) -> Int? {
        var index = start
        while index &+ 8 <= count {
            let other = word(at: index) ^ (ones &* 0x0A)
            let hits = (other &- ones) & ~other & highBits
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < count {
            if self[index] == 0x0A { return index }
            index &+= 1
        }
        return nil
    }

    /// Compares without regard to case; `lowercase` must be in lower case.
    @inline(__always)
    func equals(_ range: ByteRange, ignoringCaseOf lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        let wanted = unsafe UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount)
        for offset in 0..<range.count {
            guard unsafe asciiLowercase(self[range.start &+ offset]) == wanted[offset] else { return false }
        }
        return true
    }
}
