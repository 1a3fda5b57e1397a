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
        let channel = try BlockingChannel.connect(to: target, trust: trust, deadline: deadline)
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
