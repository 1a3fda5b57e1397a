import SwiftletAuth
import SwiftletEssentials
import SwiftletOutbound
import SwiftletSignIn

/// Reads how mail is sent from the environment.
extension MailSettings {
    private enum Word { case smtp, webhook, hook, log, none }

    /// nil without a mailer. `hook` is the operator's, and comes before a mail server. `siteURL` and `externalURL` are
    /// where the links in the mails lead.
    init?(
        _ reader: inout SettingsReader,
        hook: Hook?,
        siteURL: String?,
        externalURL: String?,
        trust: Trust
    ) {
        let hasServer = reader.text("SMTP_URL") != nil || reader.text("SMTP_HOST") != nil
        let hasWebhook = reader.text("MAIL_WEBHOOK_URL") != nil
        let implied: Word = hook != nil ? .hook : hasServer ? .smtp : hasWebhook ? .webhook : .none
        let word = reader.choice(
            "MAILER",
            default: implied,
            ["smtp": Word.smtp, "webhook": .webhook, "hook": .hook, "log": .log, "none": .none]
        )
        let transport: Transport? =
            switch word {
            case .smtp: Self.smtp(&reader, trust)
            case .webhook: Self.webhook(&reader)
            case .hook: Self.hook(hook, &reader)
            case .log: .log
            case .none: nil
            }
        guard let transport else { return nil }
        self.init(transport)
        senderName = reader.read(
            "SMTP_SENDER_NAME",
            default: nil,
            accepted: "a name of up to 100 characters on one line"
        ) { name in
            let isLine = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
            return isLine && name.count <= 100 ? .some(name) : nil
        }
        language = reader.read("MAIL_LANGUAGE", default: language, accepted: "a language such as en, de or pt-br") {
            text in
            text.wholeMatch(of: #/[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})?/#) != nil
                ? text.lowercased().replacing("_", with: "-") : nil
        }
        if let folder = reader.text("MAIL_TEMPLATES") {
            do {
                templates = try MailTemplates(folder: folder)
            } catch {
                reader.refuse("MAIL_TEMPLATES must be a folder of templates: \(error)")
            }
        }
        self.siteURL = siteURL
        self.externalURL = externalURL
        self.trust = trust
    }

    // MARK: SMTP

    private struct Server {
        var host: String
        var port: Int
        var user: String?
        var password: String?
        var isSecure = false
    }

    private static func smtp(_ reader: inout SettingsReader, _ trust: Trust) -> Transport? {
        guard let server = server(&reader) else { return nil }
        let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(server.host.lowercased())
        let implied: SMTPClient.Security = server.isSecure || server.port == 465 ? .tls : isLocal ? .none : .startTLS
        let security = reader.choice(
            "SMTP_SECURITY",
            default: implied,
            ["tls": SMTPClient.Security.tls, "starttls": .startTLS, "none": .none]
        )
        let accepted = "the address that mails are from, such as no-reply@example.com"
        guard let address = reader.text("SMTP_ADMIN_EMAIL") else {
            reader.refuse("SMTP_ADMIN_EMAIL is missing: \(accepted)")
            return nil
        }
        guard let sender = MailAddress(rawValue: address) else {
            reader.refuse("SMTP_ADMIN_EMAIL must be \(accepted)")
            return nil
        }
        var client = SMTPClient(
            host: server.host,
            port: server.port,
            security: security,
            user: server.user,
            password: server.password
        )
        client.trust = trust
        return .smtp(client, sender: sender)
    }

    private static func server(_ reader: inout SettingsReader) -> Server? {
        if let text = reader.text("SMTP_URL") {
            guard let server = server(url: text) else {
                reader.refuse("SMTP_URL must be smtp://user:password@host:587 or smtps://…:465, specials as %40")
                return nil
            }
            return server
        }
        guard let host = reader.text("SMTP_HOST") else {
            reader.refuse("SMTP_HOST is missing (or SMTP_URL): the mail server's name")
            return nil
        }
        let isName = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !host.contains { "/@?#%".contains($0) }
        if !isName { reader.refuse("SMTP_HOST must be the mail server's name alone, such as smtp.example.com") }
        return Server(
            host: host,
            port: reader.integer("SMTP_PORT", default: 587, in: 1...65535),
            user: reader.text("SMTP_USER"),
            password: reader.text("SMTP_PASS")
        )
    }

    private static func server(url text: String) -> Server? {
        guard let url = URLComponents(string: text), let scheme = url.scheme, ["smtp", "smtps"].contains(scheme),
            let host = url.host, !host.isEmpty, ["", "/"].contains(url.path), url.query == nil
        else { return nil }
        let port = url.port ?? (scheme == "smtps" ? 465 : 587)
        guard (1...65535).contains(port) else { return nil }
        return Server(host: host, port: port, user: url.user, password: url.password, isSecure: scheme == "smtps")
    }

    // MARK: Hooks

    private static func hook(_ hook: Hook?, _ reader: inout SettingsReader) -> Transport? {
        if hook == nil { reader.refuse("HOOK_SEND_EMAIL_ENABLED must be on where MAILER is hook") }
        return hook.map { .hook($0) }
    }

    private static func webhook(_ reader: inout SettingsReader) -> Transport? {
        guard let url = reader.text("MAIL_WEBHOOK_URL") else {
            reader.refuse("MAIL_WEBHOOK_URL is missing: the https URL that mails are posted to")
            return nil
        }
        guard AddressSetting.isRequestable(url) else {
            reader.refuse("MAIL_WEBHOOK_URL must be an https URL without a user name")
            return nil
        }
        let accepted = "at least 16 characters that the receiver checks signatures with, such as whsec_ and Base64"
        guard let secret = reader.text("MAIL_WEBHOOK_SECRET"), secret.utf8.count >= 16 else {
            let isThere = reader.text("MAIL_WEBHOOK_SECRET") != nil
            reader.refuse("MAIL_WEBHOOK_SECRET \(isThere ? "must be" : "is missing:") \(accepted)")
            return nil
        }
        return .webhook(url: url, secret: Secret(secret))
    }
}
