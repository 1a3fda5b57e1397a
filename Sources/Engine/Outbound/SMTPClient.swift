import SwiftletCCurl

/// Submits messages to a mail server with libcurl. It blocks its thread: never call it on an event loop.
package struct SMTPClient: Sendable {
    package enum Security: Hashable, Sendable {
        /// TLS from the first byte, usually on port 465 (RFC 8314).
        case tls
        /// STARTTLS, and no mail when the server does not offer it; usually on port 587.
        case startTLS
        /// For a server on this machine, or in a trusted network.
        case none
    }

    package let host: String
    package let port: Int
    package let security: Security
    package var trust: Trust = .system
    package var timeout: Duration = .seconds(30)
    package var connectTimeout: Duration = .seconds(10)
    private let login: Login?

    /// `CURLUSESSL_ALL`: fails when TLS is not available.
    private static let requireTLS = 3
    /// An SMTP server has nothing to download; this bounds what it may send anyway.
    private static let maximumReplyBytes = 65_536
    /// RFC 5321 §4.5.3.1: 64 bytes before the "@" and 255 after it.
    private static let mailboxBytes = 3...320

    private struct Login: Sendable, CustomReflectable {
        let user: String
        let password: String
        /// Dumps show neither.
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    package init(host: String, port: Int, security: Security, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.security = security
        login = user.map { Login(user: $0, password: password ?? "") }
    }

    /// `message` is a complete message by RFC 5322 with CR LF line ends; libcurl escapes leading dots.
    package func send(_ message: [UInt8], from sender: String, to recipients: [String]) throws(OutboundError) {
        guard !recipients.isEmpty, ([sender] + recipients).allSatisfy(Self.isMailbox) else { throw .badRecipient }
        var handle = try makeHandle()
        handle.set(CURLOPT_MAIL_FROM, "<\(sender)>")
        handle.set(CURLOPT_MAIL_RCPT, recipients.map { "<\($0)>" })
        handle.set(CURLOPT_UPLOAD, 1)
        try perform(&handle, Transfer(maximumBodyBytes: Self.maximumReplyBytes, upload: message))
    }

    /// Connects, encrypts and logs in without sending a message, to check the settings.
    package func probe() throws(OutboundError) {
        var handle = try makeHandle()
        handle.set(CURLOPT_CUSTOMREQUEST, "NOOP")
        handle.set(CURLOPT_NOBODY, 1)
        try perform(&handle, Transfer(maximumBodyBytes: Self.maximumReplyBytes))
    }

    private func makeHandle() throws(OutboundError) -> EasyHandle {
        let isHost = host.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !"/?#@%\\\"<>{}|^`".utf8.contains(byte)
        }
        guard isHost, !host.isEmpty, (1...65535).contains(port) else { throw .badAddress }
        var handle = try EasyHandle.make(scheme: security == .tls ? .smtps : .smtp)
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        handle.set(CURLOPT_URL, "\(security == .tls ? "smtps" : "smtp")://\(name):\(port)")
        if security != .none { handle.set(CURLOPT_USE_SSL, Self.requireTLS) }
        if let login {
            handle.set(CURLOPT_USERNAME, login.user)
            handle.set(CURLOPT_PASSWORD, login.password)
        }
        handle.trust(trust)
        handle.disableProxy()
        handle.setTimeouts(total: timeout, connect: connectTimeout)
        return handle
    }

    private func perform(_ handle: inout EasyHandle, _ transfer: Transfer) throws(OutboundError) {
        do throws(OutboundError) {
            _ = try handle.perform(transfer)
        } catch {
            throw Self.reason(error, status: handle.status)
        }
    }

    /// The server's status is more precise than libcurl's code: 4yz is temporary, 5yz is permanent (RFC 5321 §4.2.1).
    private static func reason(_ error: OutboundError, status: Int) -> OutboundError {
        switch status {
        case 400..<500: OutboundError("the mail server says \(status): not now", isTemporary: true)
        case 530, 534, 535, 538: .loginDenied
        case 500..<600: OutboundError("the mail server says \(status): refused", isTemporary: false)
        default: error
        }
    }

    /// Excludes bytes that could end the command, or the path in it.
    private static func isMailbox(_ address: String) -> Bool {
        let bytes = address.utf8
        return mailboxBytes.contains(bytes.count) && bytes.contains(UInt8(ascii: "@"))
            && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    }
}
