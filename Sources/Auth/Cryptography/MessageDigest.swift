/// SHA-256 for uses other than tokens.
package enum MessageDigest {
    package static func sha256(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        guard var context = SHA256(), let digest = context.digest(try SHA256.Prefix(Span()), bytes.span) else {
            throw .unavailable
        }
        return digest.indices.map { digest[$0] }
    }

    /// The bytes in lower-case hexadecimal digits.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Compares two texts in a time that depends on their lengths only.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        return isEqualInConstantTime(left.span, right.span)
    }
}
