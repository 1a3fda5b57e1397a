/// Base64 with the URL alphabet and without padding (RFC 4648 §5, RFC 7515 §2), in its only canonical form.
///
/// Padding, white space, the characters of plain Base64, a remainder of one character and non-zero trailing bits are
/// refused: no two texts decode to the same bytes, so no character of a token can be changed unnoticed.
package enum Base64URL {
    /// nil when the text is not canonical.
    package static func decode(_ text: borrowing Span<UInt8>) -> [UInt8]? {
        guard let count = decodedCount(of: text.count) else { return nil }
        var isCanonical = true
        let bytes = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                var target = unsafe MutableSpan(_unsafeElements: buffer)
                isCanonical = decode(text, into: &target)
                initializedCount = count
            }
        }
        return isCanonical ? bytes : nil
    }

    /// nil when the text is not canonical.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8).span)
    }

    /// Fills `output` completely. False when the text is not canonical or of another length; `output` is then
    /// undefined.
    package static func decode(_ text: borrowing Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Bool {
        guard decodedCount(of: text.count) == output.count else { return false }
        let values = values.span
        // An invalid character sets the top bits of `seen`, so that the loop needs no branch.
        var seen: UInt8 = 0
        var index = 0
        var written = 0
        // The loop's condition checks the bounds: a byte has 256 values, and the length of the output follows from that
        // of the text. With a check at each access the loop takes twice the time, more than all other parsing.
        while index &+ 4 <= text.count {
            let first = unsafe values[unchecked: Int(text[unchecked: index])]
            let second = unsafe values[unchecked: Int(text[unchecked: index &+ 1])]
            let third = unsafe values[unchecked: Int(text[unchecked: index &+ 2])]
            let fourth = unsafe values[unchecked: Int(text[unchecked: index &+ 3])]
            seen |= first | second | third | fourth
            unsafe output[unchecked: written] = first &<< 2 | second &>> 4
            unsafe output[unchecked: written &+ 1] = second &<< 4 | third &>> 2
            unsafe output[unchecked: written &+ 2] = third &<< 6 | fourth
            index &+= 4
            written &+= 3
        }
        var leftover: UInt8 = 0
        if index &+ 2 <= text.count {
            let first = values[Int(text[index])]
            let second = values[Int(text[index &+ 1])]
            seen |= first | second
            output[written] = first &<< 2 | second &>> 4
            leftover = second &<< 4
            if index &+ 3 == text.count {
                let third = values[Int(text[index &+ 2])]
                seen |= third
                output[written &+ 1] = second &<< 4 | third &>> 2
                leftover = third &<< 6
            }
        }
        return seen & 0xC0 == 0 && leftover == 0
    }

    package static func encode(_ bytes: borrowing Span<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    package static func append(_ bytes: borrowing Span<UInt8>, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for index in bytes.indices {
            bits = bits &<< 8 | UInt32(bytes[index])
            bitCount &+= 8
            while bitCount >= 6 {
                bitCount &-= 6
                text.append(alphabet[Int(bits &>> bitCount & 63)])
            }
        }
        if bitCount > 0 {
            text.append(alphabet[Int(bits &<< (6 &- bitCount) & 63)])
        }
    }

    /// The number of bytes that `count` characters encode; nil when no text has that length.
    private static func decodedCount(of count: Int) -> Int? {
        let rest = count & 3
        return rest == 1 ? nil : (count &>> 2) &* 3 &+ max(rest &- 1, 0)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of every character of the alphabet, 255 for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        return values
    }()
}
