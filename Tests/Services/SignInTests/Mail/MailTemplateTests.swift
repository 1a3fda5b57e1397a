import Foundation
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Mails in other languages, and in the operator's own words.
@Suite struct MailTemplateTests {
    private func reader(_ metadata: JSONObject, email: String = "ada@example.com") -> MailReader {
        MailReader(
            Account(
                id: "user-1",
                row: [
                    "email": .string(email), "email_change": "new@example.com", "raw_user_meta_data": .object(metadata),
                ],
                identities: [],
                profile: nil,
                passwordHash: nil,
                isBanned: false
            )
        )
    }

    private func settings(_ files: [String: String] = [:]) throws -> MailSettings {
        var settings = MailSettings(.log)
        settings.siteURL = "https://app.example"
        settings.externalURL = "https://api.example"
        settings.templates = files.isEmpty ? nil : try MailTemplates(files: files)
        return settings
    }

    // MARK: Languages

    @Test(arguments: [
        ("de", "Setzen Sie Ihr Passwort zurück"), ("de-AT", "Setzen Sie Ihr Passwort zurück"),
        ("de_DE.UTF-8", "Setzen Sie Ihr Passwort zurück"), ("fr", "Réinitialisez votre mot de passe"),
        ("es-419", "Restablezca su contraseña"), ("en-GB", "Reset your password"), ("tlh", "Reset your password"),
        ("../../etc", "Reset your password"), ("", "Reset your password"), ("de\r\nBcc: x", "Reset your password"),
    ])
    func `writes in the language of the account`(locale: String, subject: String) throws {
        let mail = Mail(try MailTests.message(), try settings(), for: reader(["locale": .string(locale)]))
        #expect(mail.subject == subject)
    }

    @Test func `writes in the operator's language to who has none`() throws {
        var settings = try settings()
        settings.language = "de"
        #expect(Mail(try MailTests.message(), settings).subject == "Setzen Sie Ihr Passwort zurück")
        #expect(Mail(try MailTests.message(), settings, for: reader(["language": "fr"])).html.contains("lang=\"fr\""))
    }

    @Test(arguments: MailLanguage.allCases)
    func `has words for all mails in each language`(language: MailLanguage) throws {
        var settings = try settings()
        settings.language = language.rawValue
        for purpose in MailPurpose.allCases where !purpose.isText {
            let mail = Mail(try MailTests.message(purpose), settings)
            for text in [mail.text, mail.html] {
                #expect(text.contains("042042"))
                #expect(text.contains("the-link") == (purpose != .reauthentication))
                #expect(text.contains("app.example"))
            }
        }
        let subjects = try Notice.Kind.allCases.map { Mail(try Self.notice($0), settings).subject }
        #expect(Set(subjects).count == subjects.count)
    }

    private static func notice(_ kind: Notice.Kind) throws -> EmailMessage {
        EmailMessage(
            content: .notice(Notice(kind, "detail")),
            recipient: try #require(MailAddress(rawValue: "ada@example.com")),
            userID: "user-1",
            id: "1"
        )
    }

    // MARK: Templates

    @Test func `takes Supabase's own form of templates, with the account's values`() throws {
        let settings = try settings([
            "recovery.txt": "Subject: Hello {{ .Data.name }}\r\n\r\nCode {{ .Token }}, link {{ .ConfirmationURL }}\r\n",
            "recovery.html":
                """
            <title>Not this</title><h2>Hi {{ .Data.name }}</h2>{{/* a note */}}
            <a href="{{ .ConfirmationURL }}">{{ .SiteURL }}</a> {{ if .Data.vip }}VIP{{ else }}you{{ end }}
            {{- .Email -}}   !
            """,
        ])
        let name = "<b>Ada</b>\nBcc: eve@example.com"
        let mail = Mail(try MailTests.message(), settings, for: reader(["name": .string(name)]))
        #expect(mail.subject == "Hello <b>Ada</b> Bcc: eve@example.com")
        #expect(mail.text.hasPrefix("Code 042042, link https://api.example/auth/v1/verify?token_hash=the-link&type"))
        #expect(mail.html.contains("<h2>Hi &lt;b&gt;Ada&lt;/b&gt;\nBcc: eve@example.com</h2>\n"))
        #expect(mail.html.contains("token_hash=the-link&amp;type=recovery"))
        #expect(mail.html.hasSuffix("youada@example.com!"))
        let vip = Mail(try MailTests.message(), settings, for: reader(["vip": true]))
        #expect(vip.html.contains("VIPada@example.com!"))
        // Others stay as they are.
        #expect(Mail(try MailTests.message(.invitation), settings).subject == "You have been invited")
    }

    @Test func `takes the most exact language`() throws {
        let settings = try settings([
            "invite.txt": "Subject: any", "invite.de.txt": "Subject: de", "invite.pt-BR.html": "<title>br</title>",
            "invite.pt.txt": "Subject: pt",
        ])
        for (locale, subject) in [("de-CH", "de"), ("pt-BR", "br"), ("pt-PT", "pt"), ("fr", "any"), ("", "any")] {
            let mail = Mail(try MailTests.message(.invitation), settings, for: reader(["locale": .string(locale)]))
            #expect(mail.subject == subject, "\(locale)")
        }
    }

    @Test func `fills what notices and changes tell`() throws {
        let settings = try settings([
            "email_change.txt": "Subject: x\n{{ .Email }} to {{ .NewEmail }}",
            "email_changed_notification.txt": "Subject: x\n{{ .OldEmail }} to {{ .Email }}",
            "phone_changed_notification.txt": "Subject: x\n{{ .Phone }}",
            "identity_linked_notification.txt": "Subject: x\n{{ .Provider }}",
            "mfa_factor_enrolled_notification.txt": "Subject: x\n{{ .FactorType }}",
            "passkey_created_notification.txt": "Subject: x\n{{ .SendingTo }}",
        ])
        let change = try MailTests.message(.emailChange, to: "new@example.com")
        #expect(Mail(change, settings, for: reader([:])).text == "ada@example.com to new@example.com")
        for (kind, text) in [
            (Notice.Kind.emailChanged, "ada@example.com to detail"), (.phoneChanged, "detail"),
            (.identityLinked, "detail"), (.factorEnrolled, "detail"), (.passkeyAdded, "ada@example.com"),
        ] {
            #expect(Mail(try Self.notice(kind), settings, for: reader([:])).text == text)
        }
    }

    @Test(arguments: [
        ("recovery.txt", "Hello", "does not begin with a line Subject:"),
        ("recovery.html", "{{ .Token", "is not closed"), ("recovery.html", "{{ .Secret }}", "none of the values"),
        ("recovery.html", "{{ range .Data }}x{{ end }}", "is not supported"),
        ("recovery.html", "{{ .Token.x }}", "none of the values"), ("recovery.html", "{{ Token }}", "not supported"),
        ("recovery.html", "{{ if .Token }}", "has no end"), ("recovery.html", "{{ end }}", "without an if"),
        ("recovery.html", String(repeating: "{{ if .Token }}", count: 20), "nested too deeply"),
        ("recover.html", "", "no name of a mail"), ("recovery.a.b.html", "", "no name of a mail"),
        ("recovery.deutschland.html", "", "has no language"),
    ])
    func `refuses templates that would not work`(name: String, text: String, reason: String) {
        let fault = #expect(throws: MailTemplateFault.self) { try MailTemplates(files: [name: text]) }
        #expect(fault?.description.contains(reason) == true, "\(String(describing: fault))")
    }

    @Test func `reads a folder`() throws {
        let folder = NSTemporaryDirectory() + "templates-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("Subject: from a file\nx".utf8).write(to: URL(fileURLWithPath: "\(folder)/recovery.txt"))
        try Data("notes".utf8).write(to: URL(fileURLWithPath: "\(folder)/README.md"))
        var settings = try settings()
        settings.templates = try MailTemplates(folder: folder)
        #expect(Mail(try MailTests.message(), settings).subject == "from a file")
        #expect(throws: MailTemplateFault.self) { try MailTemplates(folder: folder + "/none") }
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: "\(folder)/invite.html"))
        #expect(throws: MailTemplateFault.self) { try MailTemplates(folder: folder) }
    }
}

/// The same on the way to a mailbox.
@Suite(.needsDatabase, .hangLimit)
struct MailLanguageTests {
    @Test func `writes to an account in its language`() async throws {
        try await MailingServer.start().use { mailing in
            _ = try await mailing.server.signUp("ada@example.org", data: ["locale": "de-DE"])
            try await mailing.server.emailsAreSent()
            #expect(mailing.subjects(to: "ada@example.org") == ["Bestätigen Sie Ihre Anmeldung"])
        }
    }
}
