internal import COpenSSL

/// Owns one OpenSSL object that nobody changes after it was handed over, and frees it in the end.
///
/// This is the only unchecked type of the target. Its invariant: from `init` on the object is only passed to functions
/// that take it as `const`, or that are documented to be safe with a shared key (openssl-threads(7): an object may be
/// used by several threads as long as none of them changes it; OpenSSL's reference counts and the caches inside an
/// `EVP_PKEY` are locked by itself). Whatever has state per message (an `EVP_MD_CTX` that digests) is made, used and
/// freed inside one call and never put in here. `release` is called once, when nobody can hold the pointer any more.
@safe final class FrozenObject: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let release: @Sendable (OpaquePointer) -> Void

    init(adopting pointer: OpaquePointer, release: @escaping @Sendable (OpaquePointer) -> Void) {
        unsafe self.pointer = unsafe pointer
        unsafe self.release = unsafe release
    }

    deinit { unsafe release(pointer) }

    /// Lends the pointer; it is valid as long as this object is alive and must not be used to change anything.
    @inline(__always)
    func withPointer<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(pointer)
    }
}
