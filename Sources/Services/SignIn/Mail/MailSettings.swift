package import SwiftletAuth
package import SwiftletOutbound

/// How mails are sent.
package struct MailSettings: Sendable {
    package enum Transport: Sendable {
        /// Through a mail server; `sender` is the From address.
        case smtp(SMTPClient, sender: MailAddress)
        /// As JSON to another service, see ``MailWebhook``.
        case webhook(url: String, secret: Secret)
        /// To the operator's own code, in GoTrue's wire, with the payload of ``MailWebhook``.
        case hook(Hook)
        /// Into the log, including link and code: for development.
        case log
    }

    package let transport: Transport
    /// The sender's name, also used in the texts; nil means the host of ``siteURL``.
    package var senderName: String?
    /// The app's URL, where links lead by default (`SITE_URL`).
    package var siteURL: String?
    /// Public URL of this server (`API_EXTERNAL_URL`), where links point to. Without it they point to ``siteURL``,
    /// which must send the `token_hash` to `/auth/v1/verify`.
    package var externalURL: String?
    /// The language of mails to accounts without one, or with another than there are texts in (`MAIL_LANGUAGE`).
    package var language = "en"
    /// The operator's own texts (`MAIL_TEMPLATES`).
    package var templates: MailTemplates?
    package var hookLimits = HookLimits()
    /// Certificate authorities for the webhook and the mail server.
    package var trust: Trust = .system

    package init(_ transport: Transport) { self.transport = transport }
}
