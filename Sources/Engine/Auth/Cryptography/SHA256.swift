import SwiftletCOpenSSL

typealias SHA256Digest = InlineArray<32, UInt8>

/// A context for SHA-256 digests: created, used and freed within one call, never shared.
@safe struct SHA256: ~Copyable {
    private let context: OpaquePointer

    /// nil when OpenSSL is out of memory.
    init?() {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        unsafe self.context = unsafe context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// The digest of the prefix followed by the message; nil when OpenSSL fails. The context can be reused.
    mutating func digest(_ prefix: borrowing Prefix, _ message: borrowing Span<UInt8>) -> SHA256Digest? {
        let isReady = unsafe prefix.state.withPointer { unsafe EVP_MD_CTX_copy_ex(context, $0) } == 1
        guard isReady else { return nil }
        let isDigested = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestUpdate(context, message.baseAddress, message.count) == 1
        }
        guard isDigested else { return nil }
        var digest = SHA256Digest(repeating: 0)
        var span = digest.mutableSpan
        let isFinished = unsafe span.withUnsafeMutableBufferPointer { output in
            unsafe EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1
        }
        return isFinished ? digest : nil
    }

    /// The state after the first bytes of many messages. Several threads may continue from it at once.
    struct Prefix: Sendable {
        fileprivate let state: ImmutableHandle

        init(_ bytes: borrowing Span<UInt8>) throws(KeyError) {
            // A fetched digest makes copies cheap: `EVP_sha256()` would be looked up at each use.
            guard let digest = unsafe EVP_MD_fetch(nil, "SHA256", nil) else { throw .unavailable }
            defer { unsafe EVP_MD_free(digest) }
            guard let context = unsafe EVP_MD_CTX_new() else { throw .unavailable }
            let isDigested = unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe EVP_DigestInit_ex2(context, digest, nil) == 1
                    && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
            }
            guard isDigested else {
                unsafe EVP_MD_CTX_free(context)
                throw .unavailable
            }
            state = unsafe ImmutableHandle(adopting: context) { unsafe EVP_MD_CTX_free($0) }
        }
    }
}
