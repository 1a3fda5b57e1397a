import SwiftletAuth
import Testing

@testable import SwiftletSignIn

@Suite struct MailAddressTests {
    @Test(arguments: [
        "ada@example.com", "ada+tag@example.com", "a.b.c@sub.example.co", "ADA@EXAMPLE.COM", "o'neil@example.com",
        "jörg@example.com", "ada@münchen.example", "a@b", "x_y-z=1@1.example",
        "نامه\u{200C}ای@example.com",
    ])
    func `takes`(text: String) {
        #expect(MailAddress(rawValue: text)?.rawValue == text)
    }

    @Test(arguments: [
        "", "ada", "@example.com", "ada@", "ada@example..com", ".ada@example.com", "ada.@example.com",
        "ada@-example.com", "ada@example.com\r\nBcc: eve@example.com", "ada\n@example.com", "ada@example.com\u{0}",
        "ada @example.com", "\"ada\"@example.com", "<ada@example.com>", "ada@example.com,eve@example.com",
        "ada@exa mple.com", "ada@example.com>", "a@b@c.example\t", "ada;eve@example.com", "ada@[127.0.0.1]",
        "a\u{85}da@example.com", "a\u{2028}da@example.com", "a\u{A0}da@example.com", "ada\u{200B}@example.com",
        "\u{202E}ada@example.com", "ada@exam\u{FEFF}ple.com",
    ])
    func `refuses`(text: String) {
        #expect(MailAddress(rawValue: text) == nil)
    }

    @Test func `has limits`() {
        #expect(MailAddress(rawValue: String(repeating: "a", count: 64) + "@example.com") != nil)
        #expect(MailAddress(rawValue: String(repeating: "a", count: 65) + "@example.com") == nil)
        let domain = Array(repeating: String(repeating: "b", count: 63), count: 4).joined(separator: ".")
        #expect(MailAddress(rawValue: "a@\(domain)") == nil)
    }
}

@Suite struct MailTests {
    static func message(
        _ purpose: MailPurpose = .recovery,
        to address: String = "ada@example.com",
        redirect: String? = nil
    ) throws -> EmailMessage {
        let recipient = try #require(MailAddress(rawValue: address))
        let token = OneTimeToken(code: "042042", link: "the-link", hash: "hash")
        return EmailMessage(
            content: .token(purpose, token),
            recipient: recipient,
            userID: "user-1",
            id: String(token.hash.prefix(32)),
            redirect: redirect
        )
    }

    @Test(
        arguments: [
            (nil, nil, nil, nil),
            (nil, "https://app.example", nil, "https://app.example?token_hash=the-link&type=recovery"),
            (nil, "https://app.example/x?a=b#c", nil, "https://app.example/x?a=b&token_hash=the-link&type=recovery"),
            (nil, "https://app.example/#\u{301}c", nil, "https://app.example/?token_hash=the-link&type=recovery"),
            (
                "https://api.example/", "https://app.example", nil,
                "https://api.example/auth/v1/verify?token_hash=the-link&type=recovery&redirect_to=https://app.example"
            ),
            (
                "https://api.example", nil, "myapp://reset?a=b&c=ä",
                "https://api.example/auth/v1/verify?token_hash=the-link&type=recovery&redirect_to="
                    + "myapp://reset%3Fa%3Db%26c%3D%C3%A4"
            ),
            ("https://api.example", nil, nil, "https://api.example/auth/v1/verify?token_hash=the-link&type=recovery"),
        ] as [(String?, String?, String?, String?)]
    )
    func `links`(external: String?, site: String?, redirect: String?, link: String?) throws {
        var settings = MailSettings(.log)
        settings.externalURL = external
        settings.siteURL = site
        #expect(Mail.link(try Self.message(redirect: redirect), settings) == link)
    }

    @Test(arguments: MailPurpose.allCases.filter { !$0.isText })
    func `has link and code in both forms`(purpose: MailPurpose) throws {
        var settings = MailSettings(.log)
        settings.siteURL = "https://app.example/welcome"
        let mail = Mail(try Self.message(purpose), settings)
        #expect(!mail.subject.isEmpty)
        for text in [mail.text, mail.html] {
            #expect(text.contains("042042"))
            #expect(text.contains("the-link") == (purpose != .reauthentication))
        }
        guard purpose != .reauthentication else { return }
        #expect(mail.text.contains("type=\(purpose.type)\n"))
        #expect(mail.html.contains("&amp;type=\(purpose.type)\""))
    }

    @Test func `lets no name become markup`() throws {
        var settings = MailSettings(.log)
        settings.senderName = "<script>\"x'&</script>"
        settings.siteURL = "https://app.example/\"><script>"
        let mail = Mail(try Self.message(), settings)
        #expect(!mail.html.contains("<script>"))
        #expect(mail.html.contains("&lt;script&gt;&quot;x&#39;&amp;&lt;/script&gt;"))
    }
}

@Suite struct EncodedWordTests {
    @Test(arguments: [
        ("Reset your password", "Reset your password"), ("Zurücksetzen", "=?UTF-8?B?WnVyw7xja3NldHplbg==?="),
        ("a\r\nBcc: eve@example.com", "a  Bcc: eve@example.com"), ("=?x?=", "=?UTF-8?B?PT94Pz0=?="), ("", ""),
    ])
    func `writes text`(text: String, written: String) {
        #expect(EncodedWord.text(text) == written)
    }

    @Test(arguments: [
        ("Acme", "\"Acme\""), ("A \"B\" \\ C", "\"A \\\"B\\\" \\\\ C\""), ("Acme\r\nBcc: x", "\"Acme  Bcc: x\""),
        ("Fünf", "=?UTF-8?B?RsO8bmY=?="), ("a\u{2028}b\u{85}", "\"a b \""),
    ])
    func `writes names`(text: String, written: String) {
        #expect(EncodedWord.phrase(text) == written)
    }

    @Test func `cuts long text between characters, each line short enough`() {
        for text in [
            String(repeating: "é", count: 200), String(repeating: "a😀", count: 99), String(repeating: "x", count: 61),
        ] {
            let lines = EncodedWord.text(text).split(separator: "\r\n ")
            #expect(lines.count > 1)
            #expect(lines.allSatisfy { $0.utf8.count <= 75 && $0.hasPrefix("=?UTF-8?B?") && $0.hasSuffix("?=") })
        }
    }
}
