import SwiftletCOpenSSL
package import SwiftletJSON

/// A key that verifies signatures of one algorithm. Several threads may use it at once.
package struct PublicKey: Sendable {
    package let keyID: String?
    package let algorithm: Algorithm
    /// The key as a JSON Web Key; nil if it was not one.
    let published: JSONValue?
    private let key: ImmutableHandle

    /// Takes the public half of a JSON Web Key; private members are ignored.
    package init(jwk: JSONValue) throws(KeyError) {
        try self.init(JWK(jwk))
    }

    init(_ jwk: JWK) throws(KeyError) {
        keyID = jwk.keyID
        algorithm = jwk.algorithm
        published = jwk.published
        key = try jwk.makePublicKey()
    }

    init(_ key: ImmutableHandle, keyID: String?, algorithm: Algorithm) {
        self.key = key
        self.keyID = keyID
        self.algorithm = algorithm
        published = nil
    }

    func isValid(_ signature: borrowing Span<UInt8>, for message: borrowing Span<UInt8>) -> Bool {
        guard algorithm == .es256 else { return verify(signature, message) }
        guard let signature = ECDSASignature.der(raw: signature) else { return false }
        return verify(signature.span, message)
    }

    private func verify(_ signature: borrowing Span<UInt8>, _ message: borrowing Span<UInt8>) -> Bool {
        // A failure leaves entries in the thread's error queue, where TLS on the same thread would find them.
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        // Ed25519 hashes by itself (RFC 8032 §5.1.7).
        let digest = algorithm == .eddsa ? nil : "SHA256"
        return unsafe key.withPointer { key in
            guard unsafe EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, key, nil) == 1 else { return false }
            return unsafe signature.withUnsafeBufferPointer { signature in
                unsafe message.withUnsafeBufferPointer { message in
                    unsafe EVP_DigestVerify(
                        context,
                        signature.baseAddress,
                        signature.count,
                        message.baseAddress,
                        message.count
                    ) == 1
                }
            }
        }
    }
}

extension PublicKey: Equatable {
    package static func == (one: PublicKey, other: PublicKey) -> Bool {
        guard one.keyID == other.keyID, one.algorithm == other.algorithm else { return false }
        // Keys of different curves leave an entry in the thread's error queue.
        defer { ERR_clear_error() }
        return unsafe one.key.withPointer { key in
            unsafe other.key.withPointer { other in unsafe EVP_PKEY_eq(key, other) == 1 }
        }
    }
}
