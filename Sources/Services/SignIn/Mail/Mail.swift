import SwiftletHTTP

/// The subject and the texts of one mail.
struct Mail: Sendable {
    let subject: String
    /// Plain text with lines ending in `\n`.
    let text: String
    let html: String

    init(_ message: EmailMessage, _ settings: MailSettings) {
        let words = MailWords(message.content, site: settings.senderName ?? settings.siteName ?? "our service")
        subject = words.subject
        var text = words.opening + "\n\n"
        var html = "<p>\(words.opening.escapedForHTML)</p>\n"
        if let token = message.token {
            if let action = words.action, let link = Self.link(message, settings) {
                text += "\(action):\n\(link)\n\nOr enter this code: \(token.code)\n\n"
                html += "<p><a href=\"\(link.escapedForHTML)\">\(action.escapedForHTML)</a></p>\n"
                html += "<p>Or enter this code: <strong>\(token.code)</strong></p>\n"
            } else {
                text += "Enter this code: \(token.code)\n\n"
                html += "<p>Enter this code: <strong>\(token.code)</strong></p>\n"
            }
        }
        self.text = text + words.closing + "\n"
        self.html =
            "<!DOCTYPE html>\n<html><body>\n\(html)<p>\(words.closing.escapedForHTML)</p>\n</body></html>\n"
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

    /// A link to this server, which then redirects.
    static func verifyLink(_ external: String, _ words: String, redirect: String?) -> String {
        "\(external.withoutTrailingSlash)/auth/v1/verify?\(words)"
            + (redirect.map { "&redirect_to=\(PercentCoding.encode($0))" } ?? "")
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
    fileprivate var escapedForHTML: String {
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
