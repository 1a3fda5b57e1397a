import SwiftletCOpenSSL

/// Digests for uses other than tokens.
package enum MessageDigest {
    package static func sha256(_ bytes: [UInt8]) throws(KeyError) -> [UInt8] {
        guard var context = SHA256(), let digest = context.digest(try SHA256.Prefix(Span()), bytes.span) else {
            throw .unavailable
        }
        return digest.indices.map { digest[$0] }
    }

    /// HMAC with SHA-1 (RFC 2104), which authenticator apps need (RFC 6238); nothing else may.
    package static func hmacSHA1(_ message: [UInt8], key: [UInt8]) throws(KeyError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 20)
        var count: CUnsignedInt = 0
        let isMade = unsafe key.withUnsafeBytes { key in
            unsafe HMAC(EVP_sha1(), key.baseAddress, CInt(clamping: key.count), message, message.count, &code, &count)
        }
        guard unsafe isMade != nil, count == code.count else { throw .unavailable }
        return code
    }

    /// Compares two texts in a time that depends on their lengths only.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        return isEqualInConstantTime(left.span, right.span)
    }
}
