import Foundation
import SwiftletAuth
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletServer
@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit) struct HookSettingsTests {
    private func read(_ settings: [String: String]) throws -> HookSettings {
        let complete = [
            "DATABASE_URL": "postgresql://app:pw@db.example:5432/app",
            "JWT_SECRET": "0123456789abcdef0123456789abcdef",
        ]
        return try Configuration(
            Environment(complete.merging(settings) { $1 }),
            mode: .serve,
            machine: Machine(cores: 8, isTerminal: false)
        ).hooks
    }

    private static let secret = "v1,whsec_" + Data(repeating: 7, count: 32).base64EncodedString()

    @Test(arguments: [
        ("CUSTOM_ACCESS_TOKEN", Hook.Point.customAccessToken), ("BEFORE_USER_CREATED", .beforeUserCreated),
        ("PASSWORD_VERIFICATION_ATTEMPT", .passwordVerificationAttempt),
        ("MFA_VERIFICATION_ATTEMPT", .factorVerificationAttempt), ("SEND_SMS", .sendSMS),
        ("SEND_EMAIL", .sendEmail),
    ])
    func `names functions and services of each point`(name: String, point: Hook.Point) throws {
        #expect(try read([:]).points.isEmpty)
        #expect(try read(["HOOK_\(name)_URI": "pg-functions://postgres/public/f"]).points.isEmpty)
        let function = try read([
            "HOOK_\(name)_ENABLED": "true", "HOOK_\(name)_URI": "pg-functions://postgres/public/f",
        ])
        guard case .function("public", "f") = function.points[point] else { throw Wrong() }
        let service = try read([
            "HOOK_\(name)_ENABLED": "true", "HOOK_\(name)_URI": "https://hooks.example/x",
            "HOOK_\(name)_SECRETS": "\(Self.secret)|\(Self.secret)",
        ])
        guard case .service("https://hooks.example/x", let keys) = service.points[point] else { throw Wrong() }
        #expect(keys.count == 2)
    }

    private static let webhook = [
        "SMS_WEBHOOK_URL": "https://hooks.example/sms", "SMS_WEBHOOK_SECRET": "0123456789abcdef",
    ]

    @Test func `takes the service for texts from settings of its own too`() throws {
        guard case .service("https://hooks.example/sms", let keys) = try read(Self.webhook).points[.sendSMS] else {
            throw Wrong()
        }
        #expect(keys.count == 1)
        #expect(try read(Self.webhook.merging(["EXTERNAL_PHONE_ENABLED": "off"]) { $1 }).points.isEmpty)
    }

    @Test(arguments: [
        ("SMS_WEBHOOK_URL", "http://hooks.example/sms"), ("SMS_WEBHOOK_SECRET", "short"), ("SMS_WEBHOOK_SECRET", ""),
    ])
    func `refuses a service for texts that could not be trusted`(name: String, value: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            _ = try read(Self.webhook.merging([name: value]) { $1 })
        }
        #expect(error.faults.count == 1)
        #expect(error.faults.first?.hasPrefix(name) == true, "\(error.faults)")
    }

    @Test func `sends mails by a hook rather than a mail server`() throws {
        let complete = [
            "DATABASE_URL": "postgresql://app:pw@db.example:5432/app",
            "JWT_SECRET": "0123456789abcdef0123456789abcdef", "SMTP_URL": "smtp://mail.example",
            "SMTP_ADMIN_EMAIL": "no-reply@example.com", "HOOK_SEND_EMAIL_URI": "pg-functions://postgres/public/send",
        ]
        func transport(_ more: [String: String]) throws -> MailSettings.Transport? {
            try Configuration(
                Environment(complete.merging(more) { $1 }),
                mode: .serve,
                machine: Machine(cores: 8, isTerminal: false)
            ).mail?.transport
        }
        guard case .smtp = try transport([:]) else { throw Wrong() }
        guard case .hook = try transport(["HOOK_SEND_EMAIL_ENABLED": "on"]) else { throw Wrong() }
        guard case .smtp = try transport(["HOOK_SEND_EMAIL_ENABLED": "on", "MAILER": "smtp"]) else { throw Wrong() }
        let error = try #require(throws: ConfigurationError.self) { _ = try transport(["MAILER": "hook"]) }
        #expect(error.faults == ["HOOK_SEND_EMAIL_ENABLED must be on where MAILER is hook"])
    }

    @Test func `takes one sender of texts`() throws {
        let both = [
            "HOOK_SEND_SMS_ENABLED": "on", "HOOK_SEND_SMS_URI": "pg-functions://postgres/public/send_text",
        ]
        let error = try #require(throws: ConfigurationError.self) { _ = try read(Self.webhook.merging(both) { $1 }) }
        #expect(error.faults == ["set either SMS_WEBHOOK_URL or HOOK_SEND_SMS_URI"])
    }

    @Test func `the doctor finds hooks that are missing, closed to the server, or open to clients`() throws {
        let hooks = try read([
            "HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "on",
            "HOOK_CUSTOM_ACCESS_TOKEN_URI": "pg-functions://postgres/hooks/add_tenant",
        ])
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        func grades() throws -> [Finding.Grade] { try HookExamination(hooks).findings(connection).map(\.grade) }
        #expect(try grades() == [.fault])
        try connection.execute("CREATE SCHEMA hooks")
        try connection.execute("CREATE FUNCTION hooks.add_tenant(a text) RETURNS text LANGUAGE sql AS 'SELECT a'")
        #expect(try grades() == [.fault])
        try connection.execute("CREATE FUNCTION hooks.add_tenant(a jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT a'")
        #expect(try grades() == [.good])
        try connection.execute("GRANT USAGE ON SCHEMA hooks TO anon")
        #expect(try grades() == [.note])
        try connection.execute("REVOKE EXECUTE ON FUNCTION hooks.add_tenant(jsonb) FROM PUBLIC")
        #expect(try grades() == [.good])
        try connection.execute("SET ROLE anon")
        #expect(try grades() == [.fault])
    }

    private struct Wrong: Error {}

    @Test(arguments: [
        ("", "", "_URI"), ("pg-functions://postgres/f", "", "_URI"), ("http://hooks.example", Self.secret, "_URI"),
        ("file:///etc/passwd", Self.secret, "_URI"), ("https://hooks.example", "", "_SECRETS"),
        ("https://hooks.example", "whsec_AAAA", "_SECRETS"), ("https://hooks.example", "v1,whsec_AAAA", "_SECRETS"),
        ("https://hooks.example", Self.secret + "|x", "_SECRETS"),
    ])
    func `refuses what is neither`(uri: String, secrets: String, name: String) throws {
        let prefix = "HOOK_CUSTOM_ACCESS_TOKEN"
        let error = try #require(throws: ConfigurationError.self) {
            _ = try read([prefix + "_ENABLED": "true", prefix + "_URI": uri, prefix + "_SECRETS": secrets])
        }
        #expect(error.faults.allSatisfy { $0.hasPrefix(prefix + name) }, "\(error.faults)")
    }
}
