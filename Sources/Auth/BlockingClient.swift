internal import COpenSSL

/// Fetches one small document over HTTP or HTTPS and blocks its thread meanwhile: key sets, and the health check.
///
/// Asks in HTTP/1.0, so that the answer ends with the connection and is never chunked. Redirects are not followed.
package struct BlockingClient: Sendable {
    package enum Trust: Sendable {
        /// The certificate must be good for the host, by the system's authorities.
        case system
        /// Any certificate: to ask whether our own server is up.
        case anyone
    }

    package struct Answer: Sendable {
        package let status: Int
        package let body: [UInt8]
    }

    private let trust: Trust
    private let deadlineSeconds: Int
    private let maximumBytes: Int

    package init(trust: Trust = .system, deadlineSeconds: Int = 10, maximumBytes: Int = KeySet.maximumBytes) {
        self.trust = trust
        self.deadlineSeconds = deadlineSeconds
        self.maximumBytes = maximumBytes
    }

    package func get(_ url: String) throws(BlockingClientError) -> Answer {
        guard let target = WebAddress(url) else { throw .badAddress }
        let deadline = time(nil) + deadlineSeconds
        let channel = try Channel.connect(to: target, trust: trust, deadline: deadline)
        let request = "GET \(target.path) HTTP/1.0\r\nHost: \(target.authority)\r\nAccept: application/json\r\n\r\n"
        try channel.write(Array(request.utf8), deadline: deadline)
        let bytes = try channel.readToEnd(deadline: deadline, limit: maximumBytes)
        return try Self.parse(bytes)
    }

    /// "HTTP/1.1 200 OK", header lines, an empty line, the body.
    private static func parse(_ bytes: [UInt8]) throws(BlockingClientError) -> Answer {
        let separator = Array("\r\n\r\n".utf8)
        let bodyStart = bytes.indices.first { bytes[$0...].starts(with: separator) }
        guard let bodyStart, bytes.starts(with: Array("HTTP/1.".utf8)), bytes.count > 12,
            let status = Int(String(decoding: bytes[9..<12], as: UTF8.self)), (200..<600).contains(status)
        else { throw .notHTTP }
        return Answer(status: status, body: Array(bytes[(bodyStart + separator.count)...]))
    }
}

/// Why a document could not be fetched.
package enum BlockingClientError: Error, Equatable, Sendable, CustomStringConvertible {
    case badAddress, noConnection, badCertificate, timeout, tooLarge, notHTTP

    package var description: String {
        switch self {
        case .badAddress: "the address is not of the form https://host/path"
        case .noConnection: "no connection came about, or it broke"
        case .badCertificate: "the server's certificate is not trusted for its name"
        case .timeout: "no answer in time"
        case .tooLarge: "the answer is too large"
        case .notHTTP: "the answer is not HTTP"
        }
    }
}

/// `scheme://host[:port][/path]`; a host may be an IPv6 address in brackets.
struct WebAddress: Equatable, Sendable {
    let isSecure: Bool
    /// Without brackets.
    let host: String
    let port: Int
    /// With the query, never empty.
    let path: String
    /// The value of the Host field.
    let authority: String

    init?(_ url: String) {
        guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
        // Neither blanks nor control bytes may get into the request.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let path = rest[end...].prefix { $0 != "#" }
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
        self.authority = String(authority)
        isSecure = scheme == "https://"
        let defaultPort = isSecure ? 443 : 80
        let hostEnd = authority.first == "[" ? authority.firstIndex(of: "]") : nil
        let portStart = authority[(hostEnd ?? authority.startIndex)...].firstIndex(of: ":")
        let name = authority[..<(portStart ?? authority.endIndex)]
        host = String(hostEnd == nil ? name : name.dropFirst().dropLast())
        guard let portStart else {
            port = defaultPort
            return
        }
        guard let number = Int(authority[authority.index(after: portStart)...]), (1...65535).contains(number) else {
            return nil
        }
        port = number
    }
}

/// One connection through OpenSSL's BIO, non-blocking inside, so that every wait has a deadline.
@safe private struct Channel: ~Copyable {
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
    ) throws(BlockingClientError) -> Channel {
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
        let channel = unsafe Channel(adopting: stream, context: context)
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
