import HTTP
import Postgres
import Web
import Synchronization

/// Mails with one-time tokens. A mail is sent after the transaction that creates its token has been committed.
final class Letters: Sendable {
    let tokens: OneTimeTokens
    private let mailer: Mailer
    private let clock: ServerClock
    /// Purpose and address → when it was last requested. Unknown addresses count as well, so that the limit does not
    /// reveal whether there is an account.
    private let asked = Mutex<[String: UInt64]>([:])

    private static let capacity = 10_000

    init(_ tokens: OneTimeTokens, _ mailer: Mailer, clock: ServerClock) {
        self.tokens = tokens
        self.mailer = mailer
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
        let place = try reserve()
        do {
            let letter = try await tokens.accounts.transaction {
                try await write(purpose, to: address, of: userID, challenge, redirect: redirect, in: $0)
            }
            post(letter, in: place)
        } catch let error as SignInError where error.code == .tooManyMails {
            guard let challenge, rebindsLink else { return }
            try await tokens.accounts.transaction {
                try await FlowStates(in: $0).renew(challenge, for: purpose, of: userID)
            }
        }
    }

    /// A letter with a new token, to be sent after the transaction is committed; nil for an invalid address. With a
    /// challenge, its link leads to a code instead of a session. Throws ``SignInError`` 429 if the last one was sent
    /// less than a minute ago.
    func write(
        _ purpose: MailPurpose,
        to address: String,
        of userID: String,
        _ challenge: CodeChallenge?,
        redirect: String?,
        in transaction: AccountTransaction
    ) async throws -> Letter? {
        guard let recipient = MailAddress(rawValue: address) else { return nil }
        note(purpose, address)
        let token = try await tokens.make(
            purpose,
            for: userID,
            address: address,
            challenge: challenge,
            in: transaction
        )
        return Letter(purpose: purpose, recipient: recipient, token: token, userID: userID, redirect: redirect)
    }

    /// See ``Mailer/reserve()``.
    func reserve() throws(SignInError) -> Mailer.Place { try mailer.reserve() }

    func post(_ letter: Letter?, in place: Mailer.Place) {
        if let letter { mailer.send(letter, in: place) }
    }
}
