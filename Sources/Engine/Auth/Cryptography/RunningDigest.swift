import SwiftletCOpenSSL

/// The digest of content that comes piece by piece. Used by one task at a time.
@safe package final class RunningDigest {
    package enum Algorithm: String {
        case sha256 = "SHA256"
        /// Not for security: object stores name content by it.
        case md5 = "MD5"
    }

    private let context: OpaquePointer

    package init(_ algorithm: Algorithm) throws(KeyError) {
        guard let digest = unsafe EVP_MD_fetch(nil, algorithm.rawValue, nil) else { throw .unavailable }
        defer { unsafe EVP_MD_free(digest) }
        guard let context = unsafe EVP_MD_CTX_new() else { throw .unavailable }
        guard unsafe EVP_DigestInit_ex2(context, digest, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw .unavailable
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package func add(_ bytes: [UInt8]) throws(KeyError) {
        let isAdded = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
        guard isAdded else { throw .unavailable }
    }

    /// The digest of all that was added, in hexadecimal digits. Nothing can be added after it.
    package func finish() throws(KeyError) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: CUnsignedInt = 0
        let isFinished = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, &count) == 1
        }
        guard isFinished else { throw .unavailable }
        let digits = Array("0123456789abcdef")
        return String(bytes.prefix(Int(count)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
