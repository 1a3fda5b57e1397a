package import Auth
package import Logging
package import Outbound
package import Postgres
package import Web
import Synchronization

/// Sends the letters that wait in a ``LetterQueue``.
package final class Mailer: Sendable {
    let tokens: OneTimeTokens
    private let delivery: MailDelivery
    private let logger: Logger
    private let clock: ServerClock
    private let outage = Mutex(MailOutage())

    /// `signingKey` is the one that ``SignIn`` has. `http` may reach private addresses, as the operator's webhook may
    /// have one. Throws ``KeyError`` for an unusable secret.
    package init(
        _ settings: MailSettings,
        database: Database,
        signingKey: SigningKey,
        http: HTTPEngine,
        logger: Logger,
        clock: ServerClock = .system
    ) throws(KeyError) {
        tokens = try OneTimeTokens(AccountStore(database), key: signingKey.secret)
        delivery = try MailDelivery(settings, http, logger, clock: clock)
        self.logger = logger
        self.clock = clock
    }

    /// Sends a letter, or leaves it out if its token is of no use any more. It may arrive twice if the answer to the
    /// first attempt is lost.
    ///
    /// Throws ``OutboundError`` if it was not sent, and what the database throws.
    package func send(_ letter: QueuedLetter) async throws {
        guard let recipient = MailAddress(rawValue: letter.address), let token = try await tokens.open(letter) else {
            logger.info("mail left out: its link is no longer valid", metadata: ["purpose": "\(letter.purpose.type)"])
            return
        }
        guard outage.withLock({ $0.allowsAttempt(at: clock.nanoseconds()) }) else { throw OutboundError.mailOutage }
        do {
            try await delivery.deliver(
                Letter(
                    purpose: letter.purpose,
                    recipient: recipient,
                    token: token,
                    userID: letter.userID,
                    redirect: letter.redirect
                )
            )
            outage.withLock { $0.hasEnded() }
        } catch {
            outage.withLock { $0.note(error, at: clock.nanoseconds()) }
            throw error
        }
        logger.debug("mail sent", metadata: ["purpose": "\(letter.purpose.type)"])
    }
}
