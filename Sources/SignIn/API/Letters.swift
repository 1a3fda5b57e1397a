internal import HTTP
internal import Postgres
internal import Swiftlet
internal import Synchronization

/// Letters with one-time tokens: made in the account's own transaction, sent when that has committed.
final class Letters: Sendable {
    let tokens: OneTimeTokens
    private let mailer: Mailer
    private let clock: ServerClock
    /// Kind of letter and address → when it was last asked for, whether there is an account or not: so the pace tells
    /// nothing.
    private let asked = Mutex<[String: UInt64]>([:])

    private static let pauseSeconds: UInt64 = 60
    private static let capacity = 10_000

    init(_ tokens: OneTimeTokens, _ mailer: Mailer, clock: ServerClock) {
        self.tokens = tokens
        self.mailer = mailer
        self.clock = clock
    }

    /// Once a minute for each kind of letter to an address.
    func keepPace(_ purpose: MailPurpose, _ address: String) throws(SignInError) {
        let now = clock.nanoseconds()
        let pause = Self.pauseSeconds * 1_000_000_000
        let key = Self.key(purpose, address)
        let wait = asked.withLock { asked -> UInt64? in
            if let last = asked[key], now &- last < pause { return (pause - (now &- last)) / 1_000_000_000 + 1 }
            Self.note(key, at: now, in: &asked)
            return nil
        }
        guard let wait else { return }
        throw SignInError(
            .tooManyRequests,
            "over_email_send_rate_limit",
            "For security purposes, you can only request this after \(wait) seconds.",
            retryAfterSeconds: Int(wait)
        )
    }

    /// A letter goes out, or would if the address were not known already.
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

    /// Makes a token and sends it. A mail that went out a moment ago, from another server, is as good as this one.
    func send(
        _ purpose: MailPurpose,
        to address: String,
        of userID: String,
        redirect: String?,
        _ database: Database
    ) async throws {
        do {
            let letter = try await database.transaction {
                try await write(purpose, to: address, of: userID, redirect: redirect, in: $0)
            }
            try await post(letter)
        } catch let error as SignInError where error.code == "over_email_send_rate_limit" {
            return
        }
    }

    /// A letter with a new token, to be posted when the transaction has committed; nil for an address that takes none.
    /// Throws ``SignInError`` 429 when the last one went out a moment ago.
    func write(
        _ purpose: MailPurpose,
        to address: String,
        of userID: String,
        redirect: String?,
        in transaction: Transaction
    ) async throws -> Letter? {
        guard let recipient = MailAddress(rawValue: address) else { return nil }
        note(purpose, address)
        let token = try await tokens.make(purpose, for: userID, address: address, in: transaction)
        return Letter(purpose, to: recipient, token, userID: userID, redirect: redirect)
    }

    func post(_ letter: Letter?) async throws {
        if let letter { try await mailer.send(letter) }
    }
}
