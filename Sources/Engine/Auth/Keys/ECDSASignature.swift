/// The two encodings of a P-256 signature: 64 bytes in a token (RFC 7518 §3.4), ASN.1 in OpenSSL.
enum ECDSASignature {
    private static let numberBytes = 32
    static let rawBytes = 64

    /// SEQUENCE { INTEGER r, INTEGER s } in DER; nil unless `raw` has 64 bytes.
    static func der(raw: borrowing Span<UInt8>) -> [UInt8]? {
        guard raw.count == rawBytes else { return nil }
        let content = integer(raw.extracting(0..<numberBytes)) + integer(raw.extracting(numberBytes..<rawBytes))
        return [0x30, UInt8(content.count)] + content
    }

    /// nil unless the text consists of two numbers of at most 256 bits.
    static func raw(der: [UInt8]) -> [UInt8]? {
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der.dropFirst(2)
        guard let r = takeInteger(&rest), let s = takeInteger(&rest), rest.isEmpty else { return nil }
        return r + s
    }

    /// The shortest encoding of a non-negative number: no leading zeros, except one before a set top bit (X.690 §8.3).
    private static func integer(_ number: borrowing Span<UInt8>) -> [UInt8] {
        var start = 0
        while start < number.count - 1, number[start] == 0 { start += 1 }
        let padding: [UInt8] = number[start] & 0x80 == 0 ? [] : [0]
        let digits = (start..<number.count).map { number[$0] }
        return [0x02, UInt8(padding.count + digits.count)] + padding + digits
    }

    private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), rest.count >= length else { return nil }
        let digits = rest.prefix(Int(length)).drop { $0 == 0 }
        rest = rest.dropFirst(Int(length))
        guard digits.count <= numberBytes else { return nil }
        return [UInt8](repeating: 0, count: numberBytes - digits.count) + digits
    }
}
