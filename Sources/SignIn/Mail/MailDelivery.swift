import Auth
import Logging
import Offloading
import Outbound
import Web

/// Hands one mail to the mail server, the webhook or the log.
struct MailDelivery: Sendable {
    /// Connections to the mail server at once.
    private static let connections = 4

    private let settings: MailSettings
    private let webhook: MailWebhook?
    private let logger: Logger
    private let clock: ServerClock
    private let threads = Offload("mail", width: connections)

    init(_ settings: MailSettings, _ http: HTTPEngine, _ logger: Logger, clock: ServerClock) throws(KeyError) {
        self.settings = settings
        self.logger = logger
        self.clock = clock
        webhook =
            if case .webhook(let url, let secret) = settings.transport {
                try MailWebhook(url: url, secret: secret, http)
            } else { nil }
    }

    /// Returns once the mail is in other hands. Throws ``OutboundError``, ``Overload`` and `CancellationError`.
    func deliver(_ letter: Letter) async throws {
        let mail = Mail(letter, settings)
        let now = clock.milliseconds() / 1000
        switch settings.transport {
        case .smtp(let client, let sender):
            let name = settings.senderName
            let message = MIMEMessage(mail, from: sender, named: name, to: letter.recipient, at: now)
            let recipient = letter.recipient.rawValue
            try await threads.run { try client.send(message.bytes, from: sender.rawValue, to: [recipient]) }
        case .webhook:
            try await webhook?.send(mail, letter, settings, at: now)
        case .log:
            logger.notice(
                "mail",
                metadata: [
                    "to": "\(letter.recipient.rawValue)", "subject": "\(mail.subject)", "code": "\(letter.token.code)",
                    "link": "\(Mail.link(letter, settings) ?? "none: set API_EXTERNAL_URL or SITE_URL")",
                ]
            )
        }
    }
}
