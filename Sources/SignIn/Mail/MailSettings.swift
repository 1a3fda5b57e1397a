package import Auth
package import Outbound

/// How mail goes out. Read from the environment by the program.
package struct MailSettings: Sendable {
    package enum Way: Sendable {
        /// To a mail server. `sender` stands in From.
        case smtp(SMTPClient, sender: MailAddress)
        /// As JSON to somebody who sends it, see ``MailWebhook``.
        case webhook(url: String, secret: Secret)
        /// Into the log, link and code included: for development.
        case log
    }

    package let way: Way
    /// Shown as the sender's name, and in the texts; nil: the host of ``siteURL``.
    package var senderName: String?
    /// Where users end up: the app's own page (`SITE_URL`).
    package var siteURL: String?
    /// Where `/auth/v1` is reached from outside (`API_EXTERNAL_URL`). With it links confirm by themselves; without it
    /// they lead to ``siteURL``, whose page shows the `token_hash` to `/auth/v1/verify`.
    package var externalURL: String?
    /// Beside the system's authorities, for the webhook and the mail server.
    package var trust: Trust = .system

    package init(_ way: Way) { self.way = way }
}
