package import SwiftletAuth
package import Logging
package import SwiftletOutbound
package import SwiftletPostgres
package import SwiftletWeb
import Synchronization

/// Sends the emails that wait in a ``EmailQueue``.
package final class Mailer: Sendable {
    let tokens: OneTimeTokens
    private let delivery: MailDelivery
    private let logger: Logger
    private let clock: ServerClock
    private let outage = Mutex(MailOutage())

    /// `keys` are those that ``SignIn`` has. `http` may reach private addresses, as the operator's webhook may
    /// have one. Throws ``KeyError`` for an unusable secret.
    package init(
        _ settings: MailSettings,
        database: Database,
        keys: SigningKeys,
        http: HTTPEngine,
        logger: Logger,
        clock: ServerClock = .system
    ) throws(KeyError) {
        tokens = OneTimeTokens(AccountStore(database), keys: keys)
        delivery = try MailDelivery(settings, http, logger, clock: clock, accounts: tokens.accounts)
        self.logger = logger
        self.clock = clock
    }

    /// Sends an email, or leaves it out if its token is of no use any more. It may arrive twice if the answer to the
    /// first attempt is lost.
    ///
    /// Throws ``OutboundError`` if it was not sent, and what the database throws.
    package func send(_ message: QueuedEmail) async throws {
        guard let recipient = MailAddress(rawValue: message.address), let content = try await content(of: message)
        else {
            logger.info(
                "mail left out: its link is no longer valid",
                metadata: ["purpose": "\(message.purpose?.type ?? "notice")"]
            )
            return
        }
        let written = EmailMessage(
            content: content,
            recipient: recipient,
            userID: message.userID,
            id: Self.id(message, content),
            redirect: message.redirect
        )
        guard outage.withLock({ $0.allowsAttempt(at: clock.nanoseconds()) }) else { throw OutboundError.mailOutage }
        do {
            try await delivery.deliver(written)
            outage.withLock { $0.hasEnded() }
        } catch {
            outage.withLock { $0.note(error, at: clock.nanoseconds()) }
            throw error
        }
        logger.debug("mail sent", metadata: ["purpose": "\(written.type)"])
    }

    /// nil once the token is of no use.
    private func content(of message: QueuedEmail) async throws -> EmailMessage.Content? {
        if let notice = message.notice { return .notice(notice) }
        guard let purpose = message.purpose, let token = try await tokens.open(message, purpose) else { return nil }
        return .token(purpose, token)
    }

    /// A hash, so it does not reveal the link that it is made of; a notice has nothing to hide.
    private static func id(_ message: QueuedEmail, _ content: EmailMessage.Content) -> String {
        switch content {
        case .token(_, let token): String(token.hash.prefix(32))
        case .notice: String(message.nonce.prefix(32))
        }
    }
}
