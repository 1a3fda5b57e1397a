import SwiftletCOpenSSL
import SwiftletEventLoop

/// OpenSSL's `SSL_CTX`: a certificate, its key, and the settings of every session that uses them.
@safe struct TLSContext: ~Copyable {
    private let handle: OpaquePointer

    private init(adopting handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe SSL_CTX_free(handle)
    }

    static func load(_ configuration: TLSConfiguration) throws(TLSError) -> TLSContext {
        ERR_clear_error()
        guard let handle = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw .library(reason: lastReason())
        }
        let context = unsafe TLSContext(adopting: handle)
        try context.setOptions()
        try context.use(configuration)
        return context
    }

    /// A session for one connection; OpenSSL keeps the context alive for it.
    func makeSession(over descriptor: borrowing FileDescriptor) -> TLSSession? {
        guard let session = unsafe SSL_new(handle) else { return nil }
        guard unsafe SSL_set_fd(session, descriptor.number) == 1 else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe SSL_set_accept_state(session)
        return unsafe TLSSession(adopting: session)
    }

    private func setOptions() throws(TLSError) {
        // OpenSSL uses `write`, which raises SIGPIPE on a connection that the client has closed.
        SystemCall.ignoreBrokenPipes()
        // RFC 9325: nothing below 1.2, forward secrecy and authenticated encryption only, no renegotiation, no
        // compression. The defaults for 1.3 are fine.
        unsafe SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        guard unsafe SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 else {
            throw .library(reason: Self.lastReason())
        }
        unsafe SSL_CTX_set_options(handle, TLSOptions.noRenegotiation | TLSOptions.noCompression)
        let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        unsafe SSL_CTX_ctrl(handle, SSL_CTRL_MODE, Int(mode), nil)
        // Sessions are resumed by tickets, which the clients store; a cache would take memory here.
        unsafe SSL_CTX_ctrl(handle, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        unsafe SSL_CTX_set_alpn_select_cb(handle, selectProtocol, nil)
        unsafe SSL_CTX_set_default_passwd_cb(handle, refusePassphrase)
    }

    private func use(_ files: TLSConfiguration) throws(TLSError) {
        guard unsafe SSL_CTX_use_certificate_chain_file(handle, files.certificateFile) == 1 else {
            throw .unusableCertificate(file: files.certificateFile, reason: Self.lastReason())
        }
        var isEncrypted = false
        let isUsed = unsafe withUnsafeMutablePointer(to: &isEncrypted) { isEncrypted in
            unsafe SSL_CTX_set_default_passwd_cb_userdata(handle, isEncrypted)
            defer { unsafe SSL_CTX_set_default_passwd_cb_userdata(handle, nil) }
            return unsafe SSL_CTX_use_PrivateKey_file(handle, files.keyFile, SSL_FILETYPE_PEM) == 1
        }
        guard isUsed else {
            let reason = Self.lastReason()
            if isEncrypted { throw .encryptedKey(file: files.keyFile) }
            if reason.contains("mismatch") {
                throw .keyDoesNotMatch(certificateFile: files.certificateFile, keyFile: files.keyFile)
            }
            throw .unusableKey(file: files.keyFile, reason: reason)
        }
        guard unsafe SSL_CTX_check_private_key(handle) == 1 else {
            throw .keyDoesNotMatch(certificateFile: files.certificateFile, keyFile: files.keyFile)
        }
    }

    /// How long the certificate is still valid; negative once it has expired.
    var validity: Duration {
        guard let certificate = unsafe SSL_CTX_get0_certificate(handle) else { return .zero }
        var days: CInt = 0
        var seconds: CInt = 0
        // From now on, where nil stands for now.
        guard unsafe ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1 else { return .zero }
        return .seconds(Int(days) * 86_400 + Int(seconds))
    }

    /// The oldest reason in OpenSSL's queue, which is the cause of the others; empties the queue.
    private static func lastReason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        // OpenSSL has no text for system errors, whose number is in the lower bits (ERR_SYSTEM_FLAG).
        if code & 0x8000_0000 != 0 { return SystemError.reason(CInt(truncatingIfNeeded: code & 0x7FFF_FFFF)) }
        guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

/// SSL_OP_NO_COMPRESSION and SSL_OP_NO_RENEGOTIATION, which are macros that Swift does not import.
private enum TLSOptions {
    static let noCompression: UInt64 = 1 << 17
    static let noRenegotiation: UInt64 = 1 << 30
}

/// ALPN (RFC 7301): the client offers names, each preceded by its length. Chooses `http/1.1`, or fails the handshake.
private func selectProtocol(
    _ session: OpaquePointer?,
    _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedLength: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredLength: CUnsignedInt,
    _ argument: UnsafeMutableRawPointer?
) -> CInt {
    let names = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))
    let http11: StaticString = "http/1.1"
    var index = 0
    while index < names.count {
        let length = unsafe Int(names[index])
        guard index + 1 + length <= names.count else { break }
        let name = unsafe UnsafeBufferPointer(rebasing: names[(index + 1)..<(index + 1 + length)])
        let wanted = unsafe UnsafeBufferPointer(start: http11.utf8Start, count: http11.utf8CodeUnitCount)
        if unsafe name.elementsEqual(wanted) {
            unsafe selected?.pointee = name.baseAddress
            unsafe selectedLength?.pointee = UInt8(length)
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + length
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// Without a callback OpenSSL would ask for the passphrase on the terminal. `isEncrypted` is a `Bool` to set.
private func refusePassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: CInt,
    _ isForWriting: CInt,
    _ isEncrypted: UnsafeMutableRawPointer?
) -> CInt {
    unsafe isEncrypted?.storeBytes(of: true, as: Bool.self)
    return -1
}
