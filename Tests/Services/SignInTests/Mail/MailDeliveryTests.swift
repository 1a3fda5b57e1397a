import SwiftletAuth
import SwiftletEventLoop
import Foundation
import SwiftletJSON
import Logging
import SwiftletOutbound
import SwiftletWeb
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.enabled(if: Python.isInstalled, "install python3"), .serialized, .hangLimit)
struct MailDeliveryTests {
    private static let now = 1_700_000_000
    private static let clock = ServerClock(nanoseconds: { 0 }, milliseconds: { now * 1000 })
    private let log = LogRecord()

    /// Delivers one email, once.
    private func deliver(_ message: EmailMessage, _ settings: MailSettings) async throws {
        let group = try EventLoopGroup.start(count: 1)
        var calls = HTTPEngine.Settings()
        calls.allowsPrivateAddresses = true
        let http = HTTPEngine(group.loops, calls)
        let delivery = try MailDelivery(settings, http, log.logger, clock: Self.clock)
        let result: Result<Void, any Error>
        do {
            result = .success(try await delivery.deliver(message))
        } catch {
            result = .failure(error)
        }
        await http.shutdown()
        group.stop()
        try result.get()
    }

    private func settings(_ way: MailSettings.Transport) -> MailSettings {
        var settings = MailSettings(way)
        settings.siteURL = "https://app.example"
        settings.externalURL = "https://api.example"
        return settings
    }

    private static func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await request.sent()
    }

    // MARK: SMTP

    /// Sends by a real mail server and gives what arrived there.
    private func deliver(
        _ message: EmailMessage,
        senderName: String?,
        user: String? = "mailer"
    ) async throws -> (mail: JSONValue?, text: String) {
        let box = "/tmp/swiftlet-mail-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: box, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: box) }
        let server = try PythonServer.start("mail_server.py", [box])
        var client = SMTPClient(
            host: "localhost",
            port: server.port("starttls"),
            security: .startTLS,
            user: user,
            password: "p@ss word"
        )
        client.trust = .systemAnd(file: server.certificateFile)
        let sender = try #require(MailAddress(rawValue: "no-reply@app.example"))
        var settings = settings(.smtp(client, sender: sender))
        settings.senderName = senderName
        try await deliver(message, settings)
        guard let data = FileManager.default.contents(atPath: "\(box)/0001.mail") else { return (nil, "") }
        let bytes = Array(data)
        let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
        return (try JSONParser.parse(Array(bytes[..<end])), String(decoding: bytes[(end + 1)...], as: UTF8.self))
    }

    @Test(.enabled(if: Python.hasPackages, "no aiosmtpd: run .ci/setup test with a package index in reach"))
    func `sends by SMTP what Python's parser finds no fault with`() async throws {
        let message = try MailTests.message(.recovery, to: "ada+x@example.com")
        let (received, text) = try await deliver(message, senderName: "Fünf & Söhne")
        let mail = try #require(received)
        #expect(mail["from"] == "no-reply@app.example")
        #expect(mail["to"] == ["ada+x@example.com"])
        #expect(mail["user"] == "mailer")
        #expect(mail["tls"] == true)
        #expect(mail["defects"] == [])
        let headers = mail["headers"]
        #expect(headers?["subject"] == "Reset your password")
        #expect(headers?["from"] == "Fünf & Söhne <no-reply@app.example>")
        #expect(headers?["to"] == "ada+x@example.com" || headers?["to"] == "<ada+x@example.com>")
        #expect(headers?["date"] == "Tue, 14 Nov 2023 22:13:20 +0000")
        let wanted = Mail(
            message,
            {
                var s = settings(.log); s.senderName = "Fünf & Söhne"; return s
            }()
        )
        #expect(mail["text"]?.string?.replacing("\r\n", with: "\n") == wanted.text)
        #expect(mail["html"]?.string?.replacing("\r\n", with: "\n") == wanted.html)
        #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 78 && !$0.contains("\n") })
    }

    @Test(.enabled(if: Python.hasPackages, "no aiosmtpd: run .ci/setup test with a package index in reach"))
    func `lets no name add a header or a recipient`() async throws {
        let name = "Acme\r\nBcc: eve@example.com\r\n\r\n<b>mine</b>"
        let mail = try #require(try await deliver(MailTests.message(), senderName: name).mail)
        #expect(mail["to"] == ["ada@example.com"])
        #expect(mail["names"]?.array?.contains("bcc") == false)
        #expect(mail["defects"] == [])
        #expect(mail["text"]?.string?.hasPrefix("Someone requested") == true)
    }

    @Test(
        .enabled(if: Python.hasPackages, "no aiosmtpd: run .ci/setup test with a package index in reach"),
        arguments: [
            ("never@example.com", "the mail server says 550: refused", false),
            ("later@example.com", "the mail server says 451: not now", true),
        ]
    )
    func `says why a mail was not taken, without address, code or password`(
        address: String,
        reason: String,
        isTemporary: Bool
    ) async throws {
        let error = await #expect(throws: OutboundError.self) {
            _ = try await deliver(MailTests.message(to: address), senderName: nil)
        }
        #expect(error == OutboundError(reason, isTemporary: isTemporary))
        for secret in [address, "042042", "the-link", "p@ss"] { #expect(!log.text.contains(secret)) }
    }

    // MARK: Webhook

    private func post(
        _ secret: String,
        _ status: Int
    ) async throws -> (last: JSONValue, count: Int, error: OutboundError?) {
        let server = try PythonServer.start("web_server.py")
        let base = "http://127.0.0.1:\(server.port("http"))"
        _ = try await Self.send(.post("\(base)/__put?path=/hook&status=\(status)", []))
        var failure: OutboundError?
        do {
            let way = MailSettings.Transport.webhook(url: "\(base)/hook", secret: Secret(secret))
            try await deliver(MailTests.message(redirect: "myapp://x"), settings(way))
        } catch let error as OutboundError {
            failure = error
        }
        let last = try await Self.send(.get("\(base)/__last?path=/hook"))
        let count = try await Self.send(.get("\(base)/__count?path=/hook"))
        return (try JSONParser.parse(last.body), Int(String(decoding: count.body, as: UTF8.self)) ?? 0, failure)
    }

    @Test(
        arguments: [
            ("a plain secret of some length, more than 32", nil),
            ("v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        ] as [(String, String?)]
    )
    func `posts what Supabase's hook does, signed as Standard Webhooks`(secret: String, base64: String?) async throws {
        let (last, count, error) = try await post(secret, 200)
        #expect(count == 1)
        #expect(error == nil)
        let body = try #require(last["body"]?.string)
        let headers = try #require(last["headers"])
        #expect(headers["content-type"] == "application/json")
        #expect(headers["webhook-timestamp"]?.string == "\(Self.now)")
        let id = try #require(headers["webhook-id"]?.string)
        #expect(id == "msg_hash")
        // Python's own HMAC, not ours.
        let key = base64.map { "base64.b64decode('\($0)')" } ?? "b'\(secret)'"
        let script = """
            import base64, hashlib, hmac, sys
            message = b'\(id).\(Self.now).' + sys.stdin.buffer.read()
            print('v1,' + base64.b64encode(hmac.new(\(key), message, hashlib.sha256).digest()).decode())
            """
        #expect(try Self.python(script, input: body) == headers["webhook-signature"]?.string)
        let document = try JSONParser.parse(Array(body.utf8))
        #expect(document["user"] == ["id": "user-1", "email": "ada@example.com"])
        #expect(document["email_data"]?["token"] == "042042")
        #expect(document["email_data"]?["token_hash"] == "the-link")
        #expect(document["email_data"]?["redirect_to"] == "myapp://x")
        #expect(document["email_data"]?["email_action_type"] == "recovery")
        #expect(document["mail"]?["subject"] == "Reset your password")
        #expect(document["mail"]?["text"]?.string?.contains("042042") == true)
    }

    @Test(arguments: [(503, true), (429, true), (400, false), (302, false)])
    func `says what a webhook answers, and whether to try again`(status: Int, isTemporary: Bool) async throws {
        let (_, count, error) = try await post("a plain secret of some length", status)
        #expect(count == 1)
        #expect(error == OutboundError("the webhook answers \(status)", isTemporary: isTemporary))
    }

    private static func python(_ script: String, input: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Python.interpreter)
        process.arguments = ["-c", script]
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    // MARK: Log

    @Test func `writes into the log what is needed to go on`() async throws {
        try await deliver(MailTests.message(), settings(.log))
        #expect(
            log.text.contains("notice mail code=042042 link=https://api.example/auth/v1/verify?token_hash=the-link")
        )
        #expect(log.text.contains("to=ada@example.com"))
    }
}
