import SwiftletCOpenSSL

/// Secret bytes: printed as `***`, compared in constant time, and wiped when the last copy is released.
///
/// Copies share one buffer. The source of a secret (a string, the environment) is not wiped.
package struct Secret: Sendable {
    private let storage: ImmutableHandle?
    package let count: Int

    package init(_ bytes: borrowing Span<UInt8>) {
        count = bytes.count
        let count = count
        storage = unsafe bytes.withUnsafeBufferPointer { bytes -> ImmutableHandle? in
            guard let source = bytes.baseAddress, let copy = unsafe CRYPTO_malloc(count, nil, 0) else { return nil }
            unsafe copy.copyMemory(from: source, byteCount: count)
            return unsafe ImmutableHandle(adopting: OpaquePointer(copy)) { pointer in
                unsafe CRYPTO_clear_free(UnsafeMutableRawPointer(pointer), count, nil, 0)
            }
        }
        precondition(count == 0 || storage != nil, "no memory for a secret")
    }

    /// The UTF-8 bytes of a text. Like Supabase, it does not decode a `JWT_SECRET` that looks like hex or Base64.
    package init(_ text: String) {
        self.init(Array(text.utf8).span)
    }

    /// Lends the bytes, which must not be stored or printed.
    package func withBytes<Result, Failure: Error>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let storage else { return try body(Span()) }
        let count = count
        return try unsafe storage.withPointer { pointer throws(Failure) -> Result in
            let buffer = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer), count: count)
            return try body(unsafe Span(_unsafeBytes: buffer))
        }
    }

    package func isEqual(to other: borrowing Span<UInt8>) -> Bool {
        count == other.count && withBytes { isEqualInConstantTime($0, other) }
    }
}

extension Secret: Equatable {
    package static func == (left: Secret, right: Secret) -> Bool {
        left.withBytes { bytes in right.isEqual(to: bytes) }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
