import SwiftletCOpenSSL

extension PrivateKey {
    private static let maximumBytes = 65_536
    private static let rsaBits: ClosedRange<CInt> = 2048...8192

    /// Takes a private key in PEM, as Apple (`.p8`) and Google (service accounts) hand them out: P-256 or RSA, not
    /// encrypted.
    package init(pem: String, keyID: String?) throws(KeyError) {
        defer { ERR_clear_error() }
        let bytes = Array(pem.utf8)
        guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
        guard let file = unsafe BIO_new_mem_buf(bytes, CInt(bytes.count)) else { throw .unavailable }
        defer { unsafe BIO_free(file) }
        // Without an answer to it, OpenSSL would ask for a password on the terminal.
        let noPassword: @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt = {
            _,
            _,
            _,
            _ in
            -1
        }
        let read = unsafe withExtendedLifetime(bytes) { unsafe PEM_read_bio_PrivateKey(file, nil, noPassword, nil) }
        guard let read = unsafe read else { throw .malformed }
        let key = unsafe ImmutableHandle(adopting: read) { unsafe EVP_PKEY_free($0) }
        let algorithm = try unsafe key.withPointer { key throws(KeyError) -> Algorithm in
            if unsafe EVP_PKEY_is_a(key, "EC") == 1 {
                guard unsafe Self.group(of: key) == "prime256v1" else { throw .unsupported }
                return .es256
            }
            guard unsafe EVP_PKEY_is_a(key, "RSA") == 1 else { throw .unsupported }
            guard Self.rsaBits.contains(unsafe EVP_PKEY_get_bits(key)) else { throw .invalid }
            return .rs256
        }
        self.init(key, publicKey: PublicKey(key, keyID: keyID, algorithm: algorithm))
    }

    private static func group(of key: OpaquePointer) -> String {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return "" }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
