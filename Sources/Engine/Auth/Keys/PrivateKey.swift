import SwiftletCOpenSSL
package import SwiftletJSON

/// A key that signs with one algorithm. Several threads may use it at once.
package struct PrivateKey: Sendable {
    package let publicKey: PublicKey
    private let key: ImmutableHandle

    /// Takes a private JSON Web Key, and checks with a signature that its two halves belong together.
    package init(jwk: JSONValue) throws(KeyError) {
        let jwk = try JWK(jwk)
        publicKey = try PublicKey(jwk)
        key = try jwk.makePrivateKey()
        let message: [UInt8] = [1, 2, 3]
        let signature = try sign(message.span)
        guard publicKey.isValid(signature.span, for: message.span) else { throw .invalid }
    }

    /// The halves must belong together.
    init(_ key: ImmutableHandle, publicKey: PublicKey) {
        self.key = key
        self.publicKey = publicKey
    }

    /// The signature in the encoding of tokens (RFC 7518 §3).
    func sign(_ message: borrowing Span<UInt8>) throws(KeyError) -> [UInt8] {
        guard let signature = digestSign(message) else { throw .unavailable }
        guard publicKey.algorithm == .es256 else { return signature }
        guard let raw = ECDSASignature.raw(der: signature) else { throw .unavailable }
        return raw
    }

    private func digestSign(_ message: borrowing Span<UInt8>) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest = publicKey.algorithm == .eddsa ? nil : "SHA256"
        return unsafe key.withPointer { key -> [UInt8]? in
            guard unsafe EVP_DigestSignInit_ex(context, nil, digest, nil, nil, key, nil) == 1 else { return nil }
            return unsafe message.withUnsafeBufferPointer { message -> [UInt8]? in
                var length = 0
                guard unsafe EVP_DigestSign(context, nil, &length, message.baseAddress, message.count) == 1 else {
                    return nil
                }
                var signature = [UInt8](repeating: 0, count: length)
                let isSigned = unsafe EVP_DigestSign(
                    context,
                    &signature,
                    &length,
                    message.baseAddress,
                    message.count
                )
                // An ECDSA signature may come out shorter than announced.
                return isSigned == 1 ? Array(signature.prefix(length)) : nil
            }
        }
    }
}
