/// SHA-256 for uses other than tokens.
package enum MessageDigest {
    package static func sha256(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        guard var context = SHA256(), let digest = context.digest(try SHA256.Prefix(Span()), bytes.span) else {
            throw .unavailable
        }
        return digest.indices.map { digest[$0] }
    }

    /// Compares two texts in a time that depends on their lengths only.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        return isEqualInConstantTime(left.span, right.span)
    }
}
