import SwiftletHTTP
import SwiftletPostgres
import Synchronization
import SwiftletWeb

/// Writes mails with one-time tokens. The delivery does not add to the time of a request, which would reveal that the
/// address is known.
struct Emails: Sendable {
    private(set) var tokens: OneTimeTokens
    private let queue: EmailQueue
    private let notices: Set<Notice.Kind>
    private let pace: RequestPace
    private let clock: ServerClock
    /// Purpose and address → when it was last requested. Unknown addresses count as well, so that the limit does not
    /// reveal whether there is an account.
    private let asked = RequestedMails()

    private static let capacity = 10_000

    init(_ tokens: OneTimeTokens, _ queue: EmailQueue, _ settings: SignInSettings, clock: ServerClock) {
        self.tokens = tokens
        self.queue = queue
        notices = settings.notices
        pace = RequestPace(settings.mailRequestPace, clock: clock)
        self.clock = clock
    }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { tokens.count(in: context) }

    /// Allows one request per minute for each purpose and address; else throws ``SignInError`` 429. One that fails does
    /// not count, so that it can be repeated. All take about the same time.
    func oncePerMinute<Value>(
        _ purpose: MailPurpose,
        _ address: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try checkRate(purpose, address)
        do {
            return try await pace.keep(body)
        } catch {
            asked.times.withLock { $0[Self.key(purpose, address)] = nil }
            throw error
        }
    }

    private func checkRate(_ purpose: MailPurpose, _ address: String) throws(SignInError) {
        let now = clock.nanoseconds()
        let pause = UInt64(OneTimeTokens.intervalSeconds) * 1_000_000_000
        let key = Self.key(purpose, address)
        let wait = asked.times.withLock { asked -> UInt64? in
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
        asked.times.withLock { Self.note(Self.key(purpose, address), at: now, in: &$0) }
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
    ///
    /// `note` is written if the mail is.
    func send(
        _ purpose: MailPurpose,
        to address: String,
        of userID: String,
        _ challenge: CodeChallenge?,
        redirect: String?,
        rebindsLink: Bool = false,
        noting note: AuditEntry
    ) async throws {
        do {
            try await tokens.accounts.transaction { transaction in
                try await write(purpose, to: address, of: userID, challenge, redirect: redirect, in: transaction)
                try await transaction.run(transaction.tables.audit(note, of: userID))
            }
            announce()
        } catch let error as SignInError where error.code == .tooManyMails {
            guard let challenge, rebindsLink else { return }
            try await tokens.accounts.transaction {
                try await FlowStates(in: $0).renew(challenge, for: purpose, of: userID)
            }
        }
    }

    /// Queues an email with a new token; none for an invalid address. Call ``announce()`` after the commit. With a
    /// challenge, its link leads to a code instead of a session. Throws ``SignInError`` 429 if the last one was sent
    /// less than a minute ago.
    func write(
        _ purpose: MailPurpose,
        to address: String,
        of userID: String,
        _ challenge: CodeChallenge?,
        redirect: String?,
        isUnlimited: Bool = false,
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
            isUnlimited: isUnlimited,
            in: transaction
        )
        let message = QueuedEmail(
            purpose: purpose,
            userID: userID,
            address: address,
            nonce: nonce,
            isBound: OneTimeToken.isBound(link: token.link),
            redirect: redirect
        )
        try await transaction.query(queue.insertion(message))
    }

    /// Queues the emails that confirm a change of address: to the new one, and to the current one as well if there is
    /// one and `asksBoth`. Either waits for the other then.
    func writeEmailChange(
        to address: String,
        of account: Account,
        _ challenge: CodeChallenge?,
        redirect: String?,
        asksBoth: Bool,
        in transaction: AccountTransaction
    ) async throws {
        try await write(.emailChange, to: address, of: account.id, challenge, redirect: redirect, in: transaction)
        let isCurrentAsked = asksBoth && MailAddress(rawValue: account.email) != nil
        try await transaction.query(transaction.statements.emailChangeStart(of: account.id))
        guard isCurrentAsked else { return }
        try await write(
            .emailChangeCurrent,
            to: account.email,
            of: account.id,
            challenge,
            redirect: redirect,
            isUnlimited: true,
            in: transaction
        )
    }

    /// The statement that queues a notice, to be run with what it is about; none if the operator has turned it off, or
    /// there is no address. Call ``announce()`` after the commit.
    func telling(_ kind: Notice.Kind, _ detail: String = "", to address: String, of userID: String) throws -> [SQL] {
        guard notices.contains(kind), MailAddress(rawValue: address) != nil else { return [] }
        let message = QueuedEmail(
            purpose: nil,
            userID: userID,
            address: address,
            nonce: try OneTimeToken.makeNonce(),
            notice: Notice(kind, detail)
        )
        return [try queue.insertion(message)]
    }

    /// Tells the servers that an email waits.
    func announce() { queue.announce() }
}

/// A mail to be sent. ``Mail`` is its text.
struct EmailMessage: Sendable {
    enum Content: Sendable {
        case token(MailPurpose, OneTimeToken)
        case notice(Notice)
    }

    let content: Content
    let recipient: MailAddress
    let userID: String
    /// The same for every attempt to deliver it. Reveals nothing of the token.
    let id: String
    /// Where the link redirects to, already checked by ``RedirectRules``; nil means `SITE_URL`.
    var redirect: String?

    /// The `email_action_type` of Supabase's hook.
    var type: String {
        switch content {
        case .token(let purpose, _): purpose.type
        case .notice(let notice): notice.type
        }
    }

    var token: OneTimeToken? {
        guard case .token(_, let token) = content else { return nil }
        return token
    }
}

/// When mails were requested, by purpose and address.
private final class RequestedMails: Sendable {
    let times = Mutex<[String: UInt64]>([:])
}
