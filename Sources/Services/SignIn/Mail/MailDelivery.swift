import SwiftletAuth
import Logging
import SwiftletBlockingPool
import SwiftletOutbound
import SwiftletWeb

/// Hands one mail to the mail server, the webhook, the hook or the log.
struct MailDelivery: Sendable {
    /// Connections to the mail server at once.
    private static let connections = 4

    private let settings: MailSettings
    private let webhook: MailWebhook?
    private let hooks: Hooks?
    private let accounts: AccountStore?
    private let logger: Logger
    private let clock: ServerClock
    private let threads = BlockingPool("mail", width: connections)

    /// A hook needs the accounts, and so do texts in their languages.
    init(
        _ settings: MailSettings,
        _ http: HTTPEngine,
        _ logger: Logger,
        clock: ServerClock,
        accounts: AccountStore? = nil
    ) throws(KeyError) {
        self.settings = settings
        self.accounts = accounts
        self.logger = logger
        self.clock = clock
        webhook =
            if case .webhook(let url, let secret) = settings.transport {
                try MailWebhook(url: url, secret: secret, http)
            } else { nil }
        hooks =
            if case .hook(let hook) = settings.transport, let accounts {
                Hooks([.sendEmail: hook], accounts.database, http, settings.hookLimits, clock: clock)
            } else { nil }
    }

    /// Returns once the mail is in other hands. Throws ``OutboundError``, ``Overload`` and `CancellationError`.
    func deliver(_ message: EmailMessage) async throws {
        let account = try await accounts?.find(id: message.userID)
        let mail = Mail(message, settings, for: account.map(MailReader.init) ?? .unknown)
        let now = clock.milliseconds() / 1000
        switch settings.transport {
        case .smtp(let client, let sender):
            let name = settings.senderName
            let mime = MIMEMessage(mail, from: sender, named: name, to: message.recipient, at: now)
            let recipient = message.recipient.rawValue
            try await threads.run { try client.send(mime.bytes, from: sender.rawValue, to: [recipient]) }
        case .webhook:
            try await webhook?.send(mail, message, settings, at: now)
        case .hook:
            // Nobody waits for the mail of an account that is gone.
            guard let account else { return }
            let payload = MailWebhook.payload(mail, message, settings, user: try account.json())
            try await hooks?.send(.sendEmail, payload, id: message.id)
        case .log:
            log(message, mail)
        }
    }

    private func log(_ message: EmailMessage, _ mail: Mail) {
        guard let token = message.token else {
            logger.notice("mail", metadata: ["to": "\(message.recipient.rawValue)", "subject": "\(mail.subject)"])
            return
        }
        logger.notice(
            "mail",
            metadata: [
                "to": "\(message.recipient.rawValue)", "subject": "\(mail.subject)", "code": "\(token.code)",
                "link": "\(Mail.link(message, settings) ?? "none: set API_EXTERNAL_URL or SITE_URL")",
            ]
        )
    }
}
