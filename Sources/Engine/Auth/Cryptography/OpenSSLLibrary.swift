import SwiftletCOpenSSL

/// OpenSSL as a whole.
package enum OpenSSLLibrary {
    /// Keeps OpenSSL usable until the process has ended. To be called before anything uses it, libpq and libcurl
    /// included.
    ///
    /// Otherwise it frees its state as soon as `exit` is called, when other threads may still be hashing a password
    /// (OPENSSL_init_crypto(3)).
    package static func outliveExit() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
