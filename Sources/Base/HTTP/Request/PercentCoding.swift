import SwiftletBytes

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
    /// Encodes all but the unreserved characters (RFC 3986 §2.3).
    package static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    /// Invalid escapes stay as they are, ill-formed UTF-8 becomes U+FFFD.
    package static func decode(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return decode(bytes.span, bytes.indices, plusIsSpace: false)
    }

    /// Invalid escapes stay as they are, ill-formed UTF-8 becomes U+FFFD.
    static func decode(_ bytes: Span<UInt8>, _ range: ByteRange, plusIsSpace: Bool) -> String {
        decode(bytes, range.range, plusIsSpace: plusIsSpace)
    }

    package static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool) -> String {
        unsafe String(unsafeUninitializedCapacity: range.count) { buffer in
            var written = 0
            var index = range.lowerBound
            while index < range.upperBound {
                let (byte, next) = decodedByte(bytes, at: index, end: range.upperBound, plusIsSpace: plusIsSpace)
                unsafe buffer[written] = byte
                written &+= 1
                index = next
            }
            return written
        }
    }

    /// The byte at `index`, encoded or plain, and where the next one begins.
    @inline(__always)
    private static func decodedByte(
        _ bytes: Span<UInt8>,
        at index: Int,
        end: Int,
        plusIsSpace: Bool
    ) -> (byte: UInt8, next: Int) {
        let byte = bytes[index]
        if byte == UInt8(ascii: "%"), index &+ 2 < end,
            let high = hexadecimalValue(bytes[index &+ 1]), let low = hexadecimalValue(bytes[index &+ 2])
        {
            return (high &<< 4 | low, index &+ 3)
        }
        return (plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte, index &+ 1)
    }

    /// Whether the range decodes to exactly these bytes.
    @inline(__always)
    static func equals(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        plusIsSpace: Bool,
        to wanted: Span<UInt8>
    ) -> Bool {
        var index = range.lowerBound
        var position = 0
        while index < range.upperBound {
            guard position < wanted.count else { return false }
            let (byte, next) = decodedByte(bytes, at: index, end: range.upperBound, plusIsSpace: plusIsSpace)
            guard byte == wanted[position] else { return false }
            position &+= 1
            index = next
        }
        return position == wanted.count
    }
}
