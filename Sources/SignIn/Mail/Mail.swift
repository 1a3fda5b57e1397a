import HTTP

/// The subject and the texts of one mail.
struct Mail: Sendable {
    let subject: String
    /// Plain text with lines ending in `\n`.
    let text: String
    let html: String

    init(_ letter: Letter, _ settings: MailSettings) {
        let words = Words(letter, settings)
        let link = Self.link(letter, settings)
        subject = words.subject
        var text = words.opening + "\n\n"
        var html = "<p>\(words.opening.escapedForHTML)</p>\n"
        if let link {
            text += "\(words.action):\n\(link)\n\nOr enter this code: \(letter.token.code)\n\n"
            html += "<p><a href=\"\(link.escapedForHTML)\">\(words.action.escapedForHTML)</a></p>\n"
            html += "<p>Or enter this code: <strong>\(letter.token.code)</strong></p>\n"
        } else {
            text += "Enter this code: \(letter.token.code)\n\n"
            html += "<p>Enter this code: <strong>\(letter.token.code)</strong></p>\n"
        }
        self.text = text + "If you did not request this, ignore this mail.\n"
        self.html =
            "<!DOCTYPE html>\n<html><body>\n\(html)<p>If you did not request this, ignore this mail.</p>\n"
            + "</body></html>\n"
    }

    /// The link in the mail; nil if no URL is configured, in which case the user must enter the code.
    static func link(_ letter: Letter, _ settings: MailSettings) -> String? {
        let words = "token_hash=\(letter.token.link)&type=\(letter.purpose.type)"
        if let external = settings.externalURL {
            let redirect = letter.redirect ?? settings.siteURL
            return "\(external.withoutTrailingSlash)/auth/v1/verify?\(words)"
                + (redirect.map { "&redirect_to=\(PercentCoding.encode($0))" } ?? "")
        }
        guard let site = letter.redirect ?? settings.siteURL else { return nil }
        let page = site.withoutFragment
        return "\(page)\(page.contains("?") ? "&" : "?")\(words)"
    }

    private struct Words {
        let subject: String
        let opening: String
        let action: String

        init(_ letter: Letter, _ settings: MailSettings) {
            let site = settings.senderName ?? settings.siteName ?? "our service"
            switch letter.purpose {
            case .confirmation:
                subject = "Confirm your sign-up"
                opening = "Welcome! Please confirm your address to activate your account at \(site)."
                action = "Confirm this address"
            case .recovery:
                subject = "Reset your password"
                opening = "Someone requested to reset your password at \(site)."
                action = "Reset the password"
            case .magicLink:
                subject = "Your sign-in link"
                opening = "Follow the link to sign in at \(site)."
                action = "Sign in"
            case .emailChange:
                subject = "Confirm your new address"
                opening = "Someone requested to change the email address of your account at \(site)."
                action = "Confirm the change"
            }
        }
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
