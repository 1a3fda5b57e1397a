import SwiftletHTTP

/// The subject and the texts of one mail.
struct Mail: Sendable {
    let subject: String
    /// Plain text with lines ending in `\n`.
    let text: String
    let html: String

    /// In the language of its reader, or that of the settings; the operator's templates come first.
    init(_ message: EmailMessage, _ settings: MailSettings, for reader: MailReader = .unknown) {
        let words = MailLanguage(reader.languages + [settings.language])
            .words(message.content, site: settings.senderName ?? settings.siteName ?? "our service")
        let own = settings.templates?.write(message, for: reader, language: settings.language, settings)
        subject = own?.subject ?? words.subject
        var text = words.opening + "\n\n"
        var html = "<p>\(words.opening.escapedForHTML)</p>\n"
        if let token = message.token {
            if let action = words.action, let link = Self.link(message, settings) {
                text += "\(action):\n\(link)\n\n\(words.orCode) \(token.code)\n\n"
                html += "<p><a href=\"\(link.escapedForHTML)\">\(action.escapedForHTML)</a></p>\n"
                html += "<p>\(words.orCode) <strong>\(token.code)</strong></p>\n"
            } else {
                text += "\(words.code) \(token.code)\n\n"
                html += "<p>\(words.code) <strong>\(token.code)</strong></p>\n"
            }
        }
        self.text = own?.text ?? (text + words.closing + "\n")
        self.html =
            own?.html
            ?? "<!DOCTYPE html>\n<html lang=\"\(words.language.rawValue)\"><body>\n\(html)<p>\(words.closing.escapedForHTML)</p>\n</body></html>\n"
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
