import SwiftletAuth
import SwiftletOutbound
import SwiftletEventLoop
import Testing

@testable import SwiftletSignIn
@testable import SwiftletServer

@Suite struct MailSettingsTests {
    private func read(_ settings: [String: String]) throws(ConfigurationError) -> Configuration {
        let least = ["DATABASE_URL": "postgresql://app@db/app", "JWT_SECRET": "0123456789abcdef0123456789abcdef"]
        return try Configuration(Environment(least.merging(settings) { $1 }), mode: .serve)
    }

    private func client(_ settings: [String: String]) throws -> SMTPClient? {
        let mail = try read(settings.merging(["SMTP_ADMIN_EMAIL": "no-reply@example.com"]) { $1 }).mail
        guard case .smtp(let client, let sender) = mail?.transport else { return nil }
        #expect(sender.rawValue == "no-reply@example.com")
        return client
    }

    @Test func `sends nothing by default`() throws {
        #expect(try read([:]).mail == nil)
        #expect(try read(["MAILER": "none", "SMTP_HOST": "mail.example.com"]).mail == nil)
    }

    @Test(
        arguments: [
            (["SMTP_HOST": "mail.example.com"], "mail.example.com", 587, .startTLS),
            (["SMTP_HOST": "mail.example.com", "SMTP_PORT": "465"], "mail.example.com", 465, .tls),
            (["SMTP_HOST": "mailpit", "SMTP_PORT": "1025", "SMTP_SECURITY": "none"], "mailpit", 1025, .none),
            (["SMTP_HOST": "localhost", "SMTP_PORT": "25"], "localhost", 25, .none),
            (["SMTP_URL": "smtps://u:p%40ss@mail.example.com"], "mail.example.com", 465, .tls),
            (["SMTP_URL": "smtp://mail.example.com:2525"], "mail.example.com", 2525, .startTLS),
            (["SMTP_URL": "smtp://127.0.0.1:2525/"], "127.0.0.1", 2525, .none),
        ] as [([String: String], String, Int, SMTPClient.Security)]
    )
    func `finds the mail server`(
        settings: [String: String],
        host: String,
        port: Int,
        security: SMTPClient.Security
    ) throws {
        let client = try #require(try client(settings))
        #expect(client.host == host)
        #expect(client.port == port)
        #expect(client.security == security)
    }

    @Test func `takes the webhook, the log, and where links lead`() throws {
        let settings = [
            "MAIL_WEBHOOK_URL": "https://hook.example/",
            "MAIL_WEBHOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "SITE_URL": "https://app.example", "API_EXTERNAL_URL": "https://api.example", "SMTP_SENDER_NAME": "Acme",
        ]
        let mail = try #require(try read(settings).mail)
        guard case .webhook(let url, _) = mail.transport else {
            Issue.record("no webhook")
            return
        }
        #expect(url == "https://hook.example/")
        #expect(mail.senderName == "Acme")
        #expect(mail.siteURL == "https://app.example")
        #expect(mail.externalURL == "https://api.example")
        guard case .log = try read(["MAILER": "LOG"]).mail?.transport else {
            Issue.record("no log")
            return
        }
    }

    @Test(arguments: [
        (["MAILER": "pigeon"], "MAILER"), (["MAILER": "smtp"], "SMTP_HOST"),
        (["SMTP_HOST": "mail.example.com"], "SMTP_ADMIN_EMAIL"),
        (["SMTP_HOST": "mail.example.com", "SMTP_ADMIN_EMAIL": "a\r\nBcc: hunter2@x"], "SMTP_ADMIN_EMAIL"),
        (["SMTP_HOST": "smtp://mail", "SMTP_ADMIN_EMAIL": "a@b.example"], "SMTP_HOST"),
        (["SMTP_HOST": "mail", "SMTP_ADMIN_EMAIL": "a@b.example", "SMTP_PORT": "0"], "SMTP_PORT"),
        (["SMTP_HOST": "mail", "SMTP_ADMIN_EMAIL": "a@b.example", "SMTP_SECURITY": "maybe"], "SMTP_SECURITY"),
        (["SMTP_URL": "https://u:hunter2@mail"], "SMTP_URL"), (["SMTP_URL": "smtp://"], "SMTP_URL"),
        (["SMTP_URL": "smtp://u:hunter2@mail/x?y"], "SMTP_URL"), (["MAILER": "webhook"], "MAIL_WEBHOOK_URL"),
        (["MAIL_WEBHOOK_URL": "http://hook.example/"], "MAIL_WEBHOOK_URL"),
        (["MAIL_WEBHOOK_URL": "https://hook.example/"], "MAIL_WEBHOOK_SECRET"),
        (["MAIL_WEBHOOK_URL": "https://h.example/", "MAIL_WEBHOOK_SECRET": "hunter2"], "MAIL_WEBHOOK_SECRET"),
        (["MAILER": "log", "SMTP_SENDER_NAME": "Acme\r\nBcc: hunter2@x"], "SMTP_SENDER_NAME"),
        (["MAILER": "log", "MAIL_TEMPLATES": "/does/not/exist"], "MAIL_TEMPLATES"),
        (["MAILER": "log", "MAIL_LANGUAGE": "German"], "MAIL_LANGUAGE"),
        (["OUTBOUND_CA_FILE": "/nowhere/ca.pem"], "OUTBOUND_CA_FILE"),
        (["OUTBOUND_CA_FILE": "/etc/passwd"], "OUTBOUND_CA_FILE"), (["OUTBOUND_CA_FILE": "/tmp"], "OUTBOUND_CA_FILE"),
    ])
    func `refuses and names`(settings: [String: String], name: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try read(settings) }
        #expect(error.faults.count == 1)
        #expect(error.description.hasPrefix(name))
        #expect(!error.description.contains("hunter2"))
    }

    @Test func `never shows a secret, however it is printed`() throws {
        let configurations = [
            try read(["SMTP_URL": "smtps://user:hunter2@mail.example.com", "SMTP_ADMIN_EMAIL": "a@b.example"]),
            try read(["MAIL_WEBHOOK_URL": "https://h.example/", "MAIL_WEBHOOK_SECRET": "hunter2-hunter2-hunter2"]),
        ]
        for configuration in configurations {
            var dumped = ""
            dump(configuration, to: &dumped)
            for text in ["\(configuration)", String(reflecting: configuration), dumped] {
                #expect(!text.contains("hunter2"))
            }
        }
    }

    @Test func `reads who may vouch for users`() throws {
        let settings = ["APPLE_CLIENT_IDS": "com.example.app, web.example", "GOOGLE_SKIP_NONCE_CHECK": "on"]
        let identity = try read(settings).identity
        #expect(identity.appleClientIDs == ["com.example.app", "web.example"])
        #expect(identity.googleClientIDs.isEmpty)
        let group = try EventLoopGroup.start(count: 1)
        defer { group.stop() }
        let tokens = IdentityTokens(identity.providers(HTTPEngine(group.loops)))
        #expect(tokens.isEnabled("apple"))
        #expect(!tokens.isEnabled("google"))
        #expect(!tokens.isEnabled("github"))
    }
}
