import HTTP
import Postgres
import Synchronization
import Web

/// Writes mails with one-time tokens. The delivery does not add to the time of a request, which would reveal that the
/// address is known.
final class Letters: Sendable {
    let tokens: OneTimeTokens
    private let queue: LetterQueue
    private let clock: ServerClock
    /// Purpose and address → when it was last requested. Unknown addresses count as well, so that the limit does not
    /// reveal whether there is an account.
    private let asked = Mutex<[String: UInt64]>([:])

    private static let capacity = 10_000

    init(_ tokens: OneTimeTokens, _ queue: LetterQueue, clock: ServerClock) {
        self.tokens = tokens
        self.queue = queue
        self.clock = clock
    }

    /// Allows one request per minute for each purpose and address; else throws ``SignInError`` 429. One that fails does
    /// not count, so that it can be repeated.
    func oncePerMinute<Value>(
        _ purpose: MailPurpose,
        _ address: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try checkRate(purpose, address)
        do {
            return try await body()
        } catch {
            asked.withLock { $0[Self.key(purpose, address)] = nil }
            throw error
        }
    }

    private func checkRate(_ purpose: MailPurpose, _ address: String) throws(SignInError) {
        let now = clock.nanoseconds()
        let pause = UInt64(OneTimeTokens.intervalSeconds) * 1_000_000_000
        let key = Self.key(purpose, address)
        let wait = asked.withLock { asked -> UInt64? in
            if let last = asked[key], now &- last < pause { return (pause - (now &- last)) / 1_000_000_000 + 1 }
            Self.note(key, at: now, in: &asked)
            return nil
        }
        guard let wait else { return }
        throw SignInError.tooManyMails(retryAfterSeconds: Int(wait))
    }

    /// Records that a mail is sent, or would be if the address were unknown.
    func note(_ purpose: MailPurpose, _ address: String) {
        let now = clock.nanoseconds()
        asked.withLock { Self.note(Self.key(purpose, address), at: now, in: &$0) }
    }

    private static func key(_ purpose: MailPurpose, _ address: String) -> String {
        "\(purpose.sentColumn) \(address)"
    }

    private static func note(_ key: String, at now: UInt64, in asked: inout [String: UInt64]) {
        if asked.count >= capacity { asked.removeAll() }
        asked[key] = now
    }

    /// Creates a token and sends it, unless one has just been sent. With `rebindsLink`, the link that is on its way
    /// then serves the new challenge, because a client only keeps the verifier of its last request.
    ///
    /// That is for callers who have proved to be the one that requested the link: a stranger must not choose for which
    /// verifier its code can be exchanged (RFC 7636 §1).
    func send(
        _ purpose: MailPurpose,
        to address: String,
        of userID: String,
        _ challenge: CodeChallenge?,
        redirect: String?,
        rebindsLink: Bool = false
    ) async throws {
        do {
            try await tokens.accounts.transaction {
                try await write(purpose, to: address, of: userID, challenge, redirect: redirect, in: $0)
            }
            announce()
        } catch let error as SignInError where error.code == .tooManyMails {
            guard let challenge, rebindsLink else { return }
            try await tokens.accounts.transaction {
                try await FlowStates(in: $0).renew(challenge, for: purpose, of: userID)
            }
        }
    }

    /// Queues a letter with a new token; none for an invalid address. Call ``announce()`` after the commit. With a
    /// challenge, its link leads to a code instead of a session. Throws ``SignInError`` 429 if the last one was sent
    /// less than a minute ago.
    func write(
        _ purpose: MailPurpose,
        to address: String,
        of userID: String,
        _ challenge: CodeChallenge?,
        redirect: String?,
        in transaction: AccountTransaction
    ) async throws {
        guard MailAddress(rawValue: address) != nil else { return }
        note(purpose, address)
        let nonce = try OneTimeToken.makeNonce()
        let token = try await tokens.make(
            purpose,
            for: userID,
            address: address,
            nonce: nonce,
            challenge: challenge,
            in: transaction
        )
        let letter = QueuedLetter(
            purpose: purpose,
            userID: userID,
            address: address,
            nonce: nonce,
            isBound: OneTimeToken.isBound(link: token.link),
            redirect: redirect
        )
        try await transaction.query(queue.insertion(letter))
    }

    /// Tells the servers that a letter waits.
    func announce() { queue.announce() }
}

/// A mail to be sent: its purpose, recipient and one-time token. ``Mail`` is its text.
struct Letter: Sendable {
    let purpose: MailPurpose
    let recipient: MailAddress
    let token: OneTimeToken
    let userID: String
    /// Where the link redirects to, already checked by ``RedirectRules``; nil means `SITE_URL`.
    var redirect: String?
}
