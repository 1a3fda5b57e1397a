import SwiftletCOpenSSL

/// Compares two byte strings in a time that depends on their lengths only.
///
/// The lengths are not secret: those of signatures and keys are public knowledge.
package func isEqualInConstantTime(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
            guard let first = left.baseAddress, let second = right.baseAddress else { return true }
            return unsafe CRYPTO_memcmp(first, second, left.count) == 0
        }
    }
}
