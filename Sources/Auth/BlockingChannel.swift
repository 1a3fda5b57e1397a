internal import COpenSSL

/// One connection through OpenSSL's BIO, non-blocking inside, so that every wait has a deadline.
@safe struct BlockingChannel: ~Copyable {
    private let stream: OpaquePointer
    private let context: OpaquePointer?

    private init(adopting stream: OpaquePointer, context: OpaquePointer?) {
        unsafe self.stream = stream
        unsafe self.context = context
    }

    deinit {
        unsafe BIO_free_all(stream)
        unsafe SSL_CTX_free(context)
    }

    static func connect(
        to target: WebAddress,
        trust: BlockingClient.Trust,
        deadline: time_t
    ) throws(BlockingClientError) -> BlockingChannel {
        var context: OpaquePointer?
        var stream: OpaquePointer?
        if target.isSecure {
            unsafe context = SSL_CTX_new(TLS_client_method())
            unsafe stream = BIO_new_ssl_connect(context)
        } else {
            unsafe stream = BIO_new(BIO_s_connect())
        }
        guard let stream = unsafe stream else {
            unsafe SSL_CTX_free(context)
            throw .noConnection
        }
        let channel = unsafe BlockingChannel(adopting: stream, context: context)
        if target.isSecure { try channel.secure(for: target.host, trust) }
        let host = target.host.contains(":") ? "[\(target.host)]" : target.host
        let name = "\(host):\(target.port)"
        unsafe name.withCString { name in
            _ = unsafe BIO_ctrl(stream, Self.setConnect, 0, UnsafeMutableRawPointer(mutating: name))
        }
        // BIO_set_nbio
        unsafe BIO_ctrl(stream, Self.setNonBlocking, 1, nil)
        while unsafe BIO_ctrl(stream, Self.doStateMachine, 0, nil) <= 0 {
            try channel.wait(deadline)
        }
        return channel
    }

    /// Certificate checks (RFC 6125) and the name sent in the handshake (RFC 6066 §3).
    private func secure(for host: String, _ trust: BlockingClient.Trust) throws(BlockingClientError) {
        var session: OpaquePointer?
        unsafe withUnsafeMutablePointer(to: &session) { pointer in
            _ = unsafe BIO_ctrl(stream, Self.getSession, 0, UnsafeMutableRawPointer(pointer))
        }
        guard let session = unsafe session else { throw .noConnection }
        unsafe host.withCString { host in
            _ = unsafe SSL_ctrl(session, Self.setServerName, 0, UnsafeMutableRawPointer(mutating: host))
        }
        switch trust {
        case .anyone:
            unsafe SSL_set_verify(session, SSL_VERIFY_NONE, nil)
        case .system:
            guard unsafe SSL_CTX_set_default_verify_paths(context) == 1, unsafe SSL_set1_host(session, host) == 1 else {
                throw .badCertificate
            }
            unsafe SSL_set_verify(session, SSL_VERIFY_PEER, nil)
        }
    }

    func write(_ bytes: [UInt8], deadline: time_t) throws(BlockingClientError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe BIO_write(stream, $0.baseAddress, CInt(clamping: $0.count))
            }
            if count > 0 { rest = rest.dropFirst(Int(count)) } else { try wait(deadline) }
        }
    }

    func readToEnd(deadline: time_t, limit: Int) throws(BlockingClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe BIO_read(stream, $0.baseAddress, CInt($0.count)) }
            if count > 0 {
                bytes += chunk.prefix(Int(count))
                guard bytes.count <= limit else { throw .tooLarge }
            } else if unsafe BIO_test_flags(stream, Self.shouldRetry) == 0 {
                // Many servers end TLS without a closing alert; a cut answer is no JSON and fails where it is read.
                return bytes
            } else {
                try wait(deadline)
            }
        }
    }

    private func wait(_ deadline: time_t) throws(BlockingClientError) {
        guard unsafe BIO_test_flags(stream, Self.shouldRetry) != 0 else {
            let reason = ERR_peek_last_error()
            ERR_clear_error()
            // ERR_GET_REASON: the lower 23 bits.
            throw CInt(truncatingIfNeeded: reason & 0x7F_FFFF) == SSL_R_CERTIFICATE_VERIFY_FAILED
                ? .badCertificate : .noConnection
        }
        guard unsafe BIO_wait(stream, deadline, 10) > 0 else { throw .timeout }
    }

    // Macros of bio.h and ssl.h that take arguments, which Swift does not import, come down to these numbers.
    private static let setConnect: CInt = 100
    private static let doStateMachine: CInt = 101
    private static let setNonBlocking: CInt = 102
    private static let getSession: CInt = 110
    private static let shouldRetry: CInt = 8
    private static let setServerName: CInt = 55
}
