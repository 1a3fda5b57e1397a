import Foundation
import Testing

@testable import SwiftletSignIn

/// The page of mails without templates.
struct MailPageTests {
    private static func settings() -> MailSettings {
        var settings = MailSettings(.log)
        settings.siteURL = "https://app.acme.example"
        settings.externalURL = "https://api.acme.example"
        settings.senderName = "Acme"
        return settings
    }

    /// Every kind of mail in every language, by a name for a file.
    private static func all() throws -> [(name: String, mail: Mail)] {
        let notices = Notice.Kind.allCases.map { kind -> EmailMessage.Content in
            let detail =
                switch kind {
                case .emailChanged: "ada@new.example"
                case .phoneChanged: "4915112345678"
                case .identityLinked, .identityUnlinked: "google"
                case .factorEnrolled, .factorUnenrolled: "totp"
                case .recoveryCodeUsed: "7"
                default: ""
                }
            return .notice(Notice(kind, detail))
        }
        let token = OneTimeToken(
            code: "042042",
            link: "pkce_0123456789abcdef0123456789abcdef0123456789abcdef",
            hash: "h"
        )
        let tokens = MailPurpose.allCases.filter { !$0.isText }.map { EmailMessage.Content.token($0, token) }
        let recipient = try #require(MailAddress(rawValue: "ada@example.com"))
        var mails: [(String, Mail)] = []
        for language in MailLanguage.allCases {
            for content in tokens + notices {
                let message = EmailMessage(content: content, recipient: recipient, userID: "u", id: "i", redirect: nil)
                var settings = settings()
                settings.language = language.rawValue
                let name =
                    switch content {
                    case .token(let purpose, _): purpose.rawValue
                    case .notice(let notice): notice.kind.rawValue
                    }
                mails.append(("\(name).\(language.rawValue)", Mail(message, settings)))
            }
        }
        return mails
    }

    /// With `MAIL_PAGES`, the pages are written into that folder, for a browser.
    @Test func `fetches nothing, says its subject, and has the link once and the code in one piece`() throws {
        let folder = ProcessInfo.processInfo.environment["MAIL_PAGES"]
        for (name, mail) in try Self.all() {
            let html = mail.html
            #expect(html.contains("<h1 "), "\(name)")
            #expect(html.contains("<title>\(mail.subject.escapedForHTML)</title>"), "\(name)")
            for word in ["<img", "<script", "<link", "<style", "url(", "@import", " src="] {
                #expect(!html.contains(word), "\(name) has \(word)")
            }
            #expect(html.ranges(of: "href=").count == (mail.text.contains("token_hash=") ? 1 : 0), "\(name)")
            if name.hasPrefix("phone_changed") { #expect(html.contains("+4915112345678"), "\(name)") }
            if name.hasPrefix("identity_") { #expect(mail.text.contains("Google"), "\(name)") }
            if mail.text.contains("042042") { #expect(html.contains(">042042<"), "\(name)") }
            // Longer lines break on their way (RFC 5322 §2.1.1).
            #expect(html.split(separator: "\n").allSatisfy { $0.utf8.count < 998 }, "\(name)")
            if let folder { try Data(html.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).html")) }
        }
    }
}
