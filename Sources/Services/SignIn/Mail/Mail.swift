import SwiftletHTTP

/// The subject and the texts of one mail.
struct Mail: Sendable {
    let subject: String
    /// Plain text with lines ending in `\n`.
    let text: String
    let html: String

    /// In the language of its reader, or that of the settings; the operator's templates come first.
    init(_ message: EmailMessage, _ settings: MailSettings, for reader: MailReader = .unknown) {
        let site = settings.senderName ?? settings.siteName ?? "our service"
        let words = MailLanguage(reader.languages + [settings.language]).words(message.content, site: site)
        let own = settings.templates?.write(message, for: reader, language: settings.language, settings)
        subject = own?.subject ?? words.subject
        let link = words.action == nil ? nil : Self.link(message, settings)
        text = own?.text ?? Self.text(words, link, message.token?.code)
        html = own?.html ?? MailPage(words: words, site: site, link: link, code: message.token?.code).html
    }

    private static func text(_ words: MailWords, _ link: String?, _ code: String?) -> String {
        var parts = [words.opening]
        if let action = words.action, let link { parts.append("\(action):\n\(link)") }
        if let code { parts.append("\(link == nil ? words.code : words.orCode) \(code)") }
        return (parts + [words.closing]).joined(separator: "\n\n") + "\n"
    }

    /// The link in the mail; nil if no URL is configured, in which case the user must enter the code, or if there is
    /// nothing to follow.
    static func link(_ message: EmailMessage, _ settings: MailSettings) -> String? {
        guard case .token(let purpose, let token) = message.content, purpose != .reauthentication else { return nil }
        let words = "token_hash=\(token.link)&type=\(purpose.type)"
        let redirect = message.redirect ?? settings.siteURL
        if let external = settings.externalURL { return verifyLink(external, words, redirect: redirect) }
        guard let page = redirect?.withoutFragment else { return nil }
        return "\(page)\(page.contains("?") ? "&" : "?")\(words)"
    }

    /// A link to this server, which then redirects. A plain address stays readable, as in GoTrue's links: a query may
    /// contain slashes and colons (RFC 3986 §3.4).
    static func verifyLink(_ external: String, _ words: String, redirect: String?) -> String {
        let target = redirect.map {
            PercentCoding.encode($0).replacing("%3A", with: ":").replacing("%2F", with: "/")
        }
        return "\(external.withoutTrailingSlash)/auth/v1/verify?\(words)" + (target.map { "&redirect_to=\($0)" } ?? "")
    }
}

extension MailSettings {
    /// The host of the site's URL.
    fileprivate var siteName: String? {
        guard let siteURL, let start = siteURL.firstRange(of: "://")?.upperBound else { return nil }
        let host = siteURL[start...].prefix { !"/:?#".contains($0) }
        return host.isEmpty ? nil : String(host)
    }
}

extension String {
    var escapedForHTML: String {
        var text = ""
        for character in self.unicodeScalars {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
