/// Why a certificate cannot be used. The reasons are OpenSSL's, and include nothing of the files' contents.
package enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    case unusableCertificate(file: String, reason: String)
    case unusableKey(file: String, reason: String)
    /// Nobody is there to type its passphrase.
    case encryptedKey(file: String)
    case keyDoesNotMatch(certificateFile: String, keyFile: String)
    case library(reason: String)

    package var description: String {
        switch self {
        case .unusableCertificate(let file, let reason): "TLS certificate \(file): \(reason)"
        case .unusableKey(let file, let reason): "TLS key \(file): \(reason)"
        case .encryptedKey(let file): "TLS key \(file) is encrypted: store it without a passphrase"
        case .keyDoesNotMatch(let certificate, let key): "TLS key \(key) does not belong to certificate \(certificate)"
        case .library(let reason): "TLS: \(reason)"
        }
    }
}
