import Auth
import Dispatch
import Logging
import Outbound
import Web
import Synchronization

/// Sends mails in the background, so that the delivery does not add to the time of a request, which would reveal that
/// the address is known. Temporary failures are retried.
final class Mailer: Sendable {
    /// Mails that are queued or being sent; more are refused.
    static let maximumWaiting = 1000

    private let settings: MailSettings
    private let webhook: MailWebhook?
    private let logger: Logger
    private let clock: ServerClock
    /// Seconds to wait after each temporary failure.
    private let pauses: [Int]
    /// Limits the number of concurrent connections to the mail server.
    private let queues = (0..<4).map { _ in DispatchQueue(label: "swiftlet.mail") }
    private let nextQueue = Atomic<Int>(0)
    fileprivate let waiting = Mutex(0)

    init(
        _ settings: MailSettings,
        _ logger: Logger,
        clock: ServerClock = .system,
        pauses: [Int] = [5, 30, 120]
    ) throws(KeyError) {
        self.settings = settings
        self.logger = logger
        self.clock = clock
        self.pauses = pauses
        webhook =
            if case .webhook(let url, let secret) = settings.transport {
                try MailWebhook(url: url, secret: secret, trust: settings.trust)
            } else { nil }
    }

    /// A place in the queue, until nobody holds it any more.
    final class Place: Sendable {
        private let mailer: Mailer

        fileprivate init(_ mailer: Mailer) { self.mailer = mailer }

        deinit { mailer.waiting.withLock { $0 -= 1 } }
    }

    /// Takes a place in the queue for a letter. Throws ``SignInError`` 503 if there is
    /// none, so call it before the token is made.
    func reserve() throws(SignInError) -> Place {
        let isTaken = waiting.withLock { waiting in
            guard waiting < Self.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard isTaken else {
            throw SignInError.unavailable("Too many mails are waiting; try again later", retryAfterSeconds: 30)
        }
        return Place(self)
    }

    /// Queues the letter and returns. Call it after the token's transaction has been committed.
    func send(_ letter: Letter, in place: Place) { deliver(letter, in: place, attempt: 0, after: 0) }

    /// Waits until every mail is sent or has failed, but not longer than `limit`.
    func drain(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        while waiting.withLock({ $0 > 0 }), ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private func deliver(_ letter: Letter, in place: Place, attempt: Int, after seconds: Int) {
        let queue = queues[nextQueue.wrappingAdd(1, ordering: .relaxed).oldValue % queues.count]
        queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in
            do throws(OutboundError) {
                try transmit(letter)
                logger.debug("mail sent", metadata: ["purpose": "\(letter.purpose.type)"])
            } catch {
                if error.isTemporary, attempt < pauses.count {
                    logger.warning(
                        "mail not sent yet",
                        metadata: ["purpose": "\(letter.purpose.type)", "cause": "\(error)"]
                    )
                    return deliver(letter, in: place, attempt: attempt + 1, after: pauses[attempt])
                }
                logger.error("mail not sent", metadata: ["purpose": "\(letter.purpose.type)", "cause": "\(error)"])
            }
        }
    }

    /// Blocks.
    private func transmit(_ letter: Letter) throws(OutboundError) {
        let mail = Mail(letter, settings)
        let now = clock.milliseconds() / 1000
        switch settings.transport {
        case .smtp(let client, let sender):
            let name = settings.senderName
            let message = MIMEMessage(mail, from: sender, named: name, to: letter.recipient, at: now)
            try client.send(message.bytes, from: sender.rawValue, to: [letter.recipient.rawValue])
        case .webhook:
            try webhook?.send(mail, letter, settings, at: now)
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
