import Dispatch
import Foundation
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletOutbound

/// Against a real SMTP server, aiosmtpd.
@Suite(.enabled(if: Python.hasPackages, "no aiosmtpd: run .ci/setup test with a package index in reach"), .serialized)
final class SMTPClientTests: Sendable {
    private let server: PythonServer
    private let box: String
    private let message = Array("Subject: Hello\r\n\r\nA line\r\n.\r\n..two dots\r\nend\r\n".utf8)

    init() throws {
        box = "/tmp/swiftlet-mail-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: box, withIntermediateDirectories: true)
        server = try PythonServer.start("mail_server.py", [box])
    }

    deinit { try? FileManager.default.removeItem(atPath: box) }

    private func client(
        _ security: SMTPClient.Security,
        host: String = "localhost",
        user: String? = "mailer",
        password: String? = "p@ss word"
    ) -> SMTPClient {
        let port = server.port(security == .tls ? "tls" : security == .startTLS ? "starttls" : "plain")
        var client = SMTPClient(
            host: host,
            port: port,
            security: security,
            user: security == .none ? nil : user,
            password: password
        )
        client.trust = .systemAnd(file: server.certificateFile)
        client.timeout = .seconds(5)
        return client
    }

    private func send(_ client: SMTPClient, from: String = "us@example.com", to: [String]) async -> OutboundError? {
        let message = message
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(OutboundError) {
                    try client.send(message, from: from, to: to)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }

    /// The envelopes and texts in the box, in order.
    private func received() throws -> [(head: JSONValue, text: String)] {
        let names = try FileManager.default.contentsOfDirectory(atPath: box).filter { $0.hasSuffix(".mail") }.sorted()
        return try names.map { name in
            let bytes = Array(FileManager.default.contents(atPath: "\(box)/\(name)") ?? Data())
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
            return (try JSONParser.parse(Array(bytes[..<end])), String(decoding: bytes[(end + 1)...], as: UTF8.self))
        }
    }

    @Test(.hangLimit, arguments: [SMTPClient.Security.tls, .startTLS, .none])
    func `delivers a message with lines that begin with dots`(security: SMTPClient.Security) async throws {
        #expect(await send(client(security), to: ["one@example.org", "two+tag@example.org"]) == nil)
        let mail = try #require(try received().first)
        #expect(mail.head["from"] == "us@example.com")
        #expect(mail.head["to"] == ["one@example.org", "two+tag@example.org"])
        #expect(mail.head["tls"]?.bool == (security != .none))
        #expect(mail.head["user"] == (security == .none ? .null : "mailer"))
        #expect(mail.text == String(decoding: message, as: UTF8.self))
    }

    @Test(.hangLimit) func `distinguishes temporary from permanent failures`() async throws {
        let later = await send(client(.tls), to: ["later@example.org"])
        #expect(later?.isTemporary == true)
        #expect(later?.reason.contains("451") == true)
        let never = await send(client(.tls), to: ["never@example.org"])
        #expect(never?.isTemporary == false)
        #expect(never?.reason.contains("550") == true)
        #expect(await send(client(.tls, password: "wrong"), to: ["one@example.org"]) == .loginDenied)
        #expect(try received().isEmpty)
    }

    @Test(.hangLimit) func `sends nothing without TLS, and nothing to an untrusted server`() async throws {
        // The plain server offers no STARTTLS.
        let plain = SMTPClient(host: "localhost", port: server.port("plain"), security: .startTLS, user: "a")
        #expect(await send(plain, to: ["one@example.org"]) == .noTLS)
        #expect(await send(client(.tls, host: "127.0.0.1"), to: ["one@example.org"]) == .badCertificate)
        var stranger = client(.startTLS)
        stranger.trust = .system
        #expect(await send(stranger, to: ["one@example.org"]) == .badCertificate)
        #expect(try received().isEmpty)
    }

    @Test(
        .hangLimit,
        arguments: [
            "a@b.example\r\nRCPT TO:<evil@example.org>", "a@b.example>\r\nDATA", "a@b\n", "a b@example.org", "", "a",
            "@",
            "<a@example.org>", "a@example.org\u{0}",
        ]
    )
    func `refuses addresses that could inject commands`(address: String) async throws {
        #expect(await send(client(.none), to: [address]) == .badRecipient)
        #expect(await send(client(.none), from: address, to: ["one@example.org"]) == .badRecipient)
        #expect(await send(client(.none), to: ["one@example.org", address]) == .badRecipient)
        #expect(await send(client(.none), to: []) == .badRecipient)
        #expect(try received().isEmpty)
    }

    @Test(.hangLimit, arguments: ["", "a/b", "a?b", "user@host", "a b", "a\r\n"])
    func `refuses invalid host names`(host: String) async {
        #expect(await send(client(.none, host: host), to: ["one@example.org"]) == .badAddress)
    }

    @Test(.hangLimit) func `times out when the server says nothing`() async {
        let web = try? PythonServer.start("web_server.py")
        var mute = SMTPClient(host: "localhost", port: web?.port("mute") ?? 1, security: .none)
        mute.timeout = .milliseconds(300)
        #expect(await send(mute, to: ["one@example.org"]) == .timeout)
    }

    @Test(.hangLimit, arguments: [SMTPClient.Security.tls, .startTLS, .none])
    func `finds out whether the settings are right, and sends nothing`(security: SMTPClient.Security) async throws {
        func probe(_ client: SMTPClient) async -> OutboundError? {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    do throws(OutboundError) {
                        try client.probe()
                        continuation.resume(returning: nil)
                    } catch {
                        continuation.resume(returning: error)
                    }
                }
            }
        }
        #expect(await probe(client(security)) == nil)
        if security != .none { #expect(await probe(client(security, password: "wrong")) == .loginDenied) }
        #expect(await probe(SMTPClient(host: "localhost", port: 1, security: security)) == .noConnection)
        #expect(try received().isEmpty)
    }

    @Test func `shows no password, however it is printed`() {
        var dumped = ""
        dump(client(.tls), to: &dumped)
        #expect(!dumped.contains("p@ss word"))
        #expect(!"\(client(.tls))".contains("p@ss"))
    }
}
