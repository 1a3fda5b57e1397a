import SwiftletCOpenSSL

/// Owns one OpenSSL object that is never modified after its construction, and frees it at the end.
///
/// This is the only unchecked type of the target. Its invariant: from `init` on the object is only passed to functions
/// that take it as `const`, or that are documented to be safe with a shared key (openssl-threads(7): several threads
/// may use an object as long as none of them modifies it; OpenSSL itself synchronizes its reference counts and the
/// caches inside an `EVP_PKEY`). Objects with state per message, such as a digesting `EVP_MD_CTX`, are created, used
/// and freed within one call and never stored here. `release` is called once, when no other reference is left.
@safe final class ImmutableHandle: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let release: @Sendable (OpaquePointer) -> Void

    init(adopting pointer: OpaquePointer, release: @escaping @Sendable (OpaquePointer) -> Void) {
        unsafe self.pointer = unsafe pointer
        unsafe self.release = unsafe release
    }

    deinit { unsafe release(pointer) }

    /// Lends the pointer, which is valid as long as this object and must not be used to modify anything.
    @inline(__always)
    func withPointer<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(pointer)
    }
}
