import SwiftletCOpenSSL

/// HMAC with SHA-256 under one key (RFC 2104, RFC 7518 §3.2). Several threads may use it at once.
///
/// The key's two blocks are digested once, at the start. Each message copies these two states into a context of its
/// own, so that only constants are shared: 0.4 µs for a token, compared to 0.7 µs for a duplicated `EVP_MAC_CTX` and
/// 1.3 µs for the one-shot `HMAC()`, without locks or thread-local state.
package struct HMACKey: Sendable {
    /// RFC 7518 §3.2: a key must be at least as long as the hash output.
    package static let minimumSecretBytes = 32
    private static let blockBytes = 64

    private let inner: SHA256.Prefix
    private let outer: SHA256.Prefix

    package init(_ secret: Secret) throws(KeyError) {
        guard secret.count >= Self.minimumSecretBytes else { throw .secretTooShort(bytes: secret.count) }
        var block = try secret.withBytes(Self.block)
        defer { unsafe block.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
        // RFC 2104 §2: ipad and opad.
        inner = try Self.prefix(block, paddedWith: 0x36)
        outer = try Self.prefix(block, paddedWith: 0x5C)
    }

    /// The message's authentication code.
    package func authenticate(_ message: [UInt8]) throws(KeyError) -> [UInt8] {
        guard let code = code(for: message.span) else { throw .unavailable }
        return code.indices.map { code[$0] }
    }

    /// nil when OpenSSL fails.
    func code(for message: borrowing Span<UInt8>) -> SHA256Digest? {
        guard var context = SHA256(), let hash = context.digest(inner, message) else { return nil }
        return context.digest(outer, hash.span)
    }

    /// RFC 2104 §2: a key longer than a block is hashed first; zeros fill the block.
    private static func block(_ secret: borrowing Span<UInt8>) throws(KeyError) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: blockBytes)
        if secret.count <= blockBytes {
            for index in secret.indices { block[index] = secret[index] }
        } else {
            guard var context = SHA256(), let hash = context.digest(try SHA256.Prefix(Span()), secret) else {
                throw .unavailable
            }
            for index in hash.indices { block[index] = hash[index] }
        }
        return block
    }

    private static func prefix(_ block: [UInt8], paddedWith padding: UInt8) throws(KeyError) -> SHA256.Prefix {
        var padded = block.map { $0 ^ padding }
        defer { unsafe padded.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
        return try SHA256.Prefix(padded.span)
    }
}
