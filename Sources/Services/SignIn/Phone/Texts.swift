import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Writes texts with one-time codes. Like those of ``Emails``, they are sent after the answer, whose time does not
/// reveal whether the number is known.
struct Texts: Sendable {
    private(set) var tokens: OneTimeTokens
    let queue: TextQueue
    private(set) var limits: TextLimits
    let pace: RequestPace

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) {
        tokens.count(in: context)
        limits.count(in: context)
    }

    /// Runs `body`, which may send one text, if the limits allow one. All such requests take about the same time.
    /// Throws ``SignInError`` 429.
    func limited<Value>(
        to number: PhoneNumber,
        _ client: ClientInfo,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await limits.admit(number, client)
        return try await pace.keep(body)
    }

    /// Makes a code and has it sent. Call it in ``limited(to:_:_:)``.
    func send(
        _ purpose: MailPurpose,
        to number: PhoneNumber,
        of userID: String,
        by channel: TextChannel = .sms,
        after first: (AccountTables) -> [SQL] = { _ in [] }
    ) async throws {
        try await tokens.accounts.transaction { transaction in
            try await transaction.run(first(transaction.tables))
            try await write(purpose, to: number, of: userID, by: channel, in: transaction)
        }
        queue.announce()
    }

    /// Queues a text with a new code, which replaces the last one; none for a number with a fixed code. Call
    /// ``announce()`` after the commit.
    func write(
        _ purpose: MailPurpose,
        to number: PhoneNumber,
        of userID: String,
        by channel: TextChannel = .sms,
        in transaction: AccountTransaction
    ) async throws {
        let nonce = try OneTimeToken.makeNonce()
        // The limits have been asked already, for numbers without an account too.
        _ = try await tokens.make(
            purpose,
            for: userID,
            address: number.rawValue,
            nonce: nonce,
            isUnlimited: true,
            in: transaction
        )
        guard !tokens.hasFixedCode(number) else { return }
        let text = QueuedText(
            purpose: purpose,
            userID: userID,
            number: number.rawValue,
            nonce: nonce,
            channel: channel == .sms ? nil : channel
        )
        try await transaction.query(queue.insertion(text))
    }

    /// Queues the code that answers the challenge of a second factor; none for a number with a fixed code. Call
    /// ``announce()`` after the commit.
    func write(
        challenge: String,
        of factorID: String,
        to number: PhoneNumber,
        of userID: String,
        by channel: TextChannel,
        in transaction: AccountTransaction
    ) async throws {
        guard !tokens.hasFixedCode(number) else { return }
        let text = QueuedText(
            purpose: .phoneReauthentication,
            userID: userID,
            number: number.rawValue,
            nonce: challenge,
            factorID: factorID,
            channel: channel == .sms ? nil : channel
        )
        try await transaction.query(queue.insertion(text))
    }

    /// Tells the servers that a text waits.
    func announce() { queue.announce() }
}
