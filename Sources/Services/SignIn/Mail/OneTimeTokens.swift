import SwiftletAuth
import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Creates and redeems the tokens in mails, and the codes in texts. Only their hashes are stored.
///
/// They are stored as in GoTrue: in the token columns of `auth.users`, and in `auth.one_time_tokens` if that table
/// exists. Redeeming a token clears the column in the caller's transaction, so that only one of two concurrent attempts
/// succeeds, and a rollback makes the token valid again.
struct OneTimeTokens: Sendable {
    private(set) var accounts: AccountStore
    let keys: SigningKeys
    private let lifetimeSeconds: Int
    private let textSeconds: Int
    private let fixedCode: @Sendable (_ number: String) -> String?

    /// An address gets at most one mail for each purpose within this time.
    static let intervalSeconds = 60
    /// Wrong codes after which only the link works.
    static let maximumAttempts = 5
    /// Accounts that can wait for the confirmation of the same new address.
    private static let maximumAccounts = 10
    /// A stored hash after fewer wrong codes than ``maximumAttempts``. Those of GoTrue are shorter.
    private static let openHash = "^(pkce_)?[0-9a-f]{64}#{0,\(maximumAttempts - 1)}$"

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { accounts.count(in: context) }

    /// All servers of this database share the keys. A token is valid for `lifetimeSeconds`, one that is sent by text
    /// for `textSeconds`. Numbers with a `fixedCode` have that one instead.
    init(
        _ accounts: AccountStore,
        keys: SigningKeys,
        lifetimeSeconds: Int = 3600,
        textSeconds: Int = 60,
        fixedCode: @escaping @Sendable (_ number: String) -> String? = { _ in nil }
    ) {
        self.textSeconds = textSeconds
        self.fixedCode = fixedCode
        self.accounts = accounts
        self.keys = keys
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Whether there is no text to send to this number.
    func hasFixedCode(_ number: PhoneNumber) -> Bool { fixedCode(number.rawValue) != nil }

    private func seconds(_ purpose: MailPurpose) -> Int { purpose.isText ? textSeconds : lifetimeSeconds }

    // MARK: Making

    /// Creates the token of this number and invalidates the previous one. Commit before sending the mail. With a
    /// challenge, and if the database can store it, the token's link is bound to it.
    ///
    /// Throws ``SignInError`` 429 if the last one is younger than ``intervalSeconds``, unless `isUnlimited`.
    func make(
        _ purpose: MailPurpose,
        for userID: String,
        address: String,
        nonce: String,
        challenge: CodeChallenge? = nil,
        isUnlimited: Bool = false,
        in transaction: AccountTransaction
    ) async throws -> OneTimeToken {
        let isBound = challenge != nil && transaction.tables.hasFlowStates
        let token = try OneTimeToken.derive(
            keys.codeKey,
            purpose,
            address: address,
            nonce: nonce,
            isBound: isBound
        )
        // A concurrent change to another address must not be confirmed by this token.
        let isPending: SQL =
            switch purpose {
            case .emailChange: "AND lower(email_change) = \(address.lowercased())"
            case .phoneChange: "AND phone_change = \(address)"
            case .emailChangeCurrent: "AND lower(email) = \(address.lowercased()) AND email_change <> ''"
            default: ""
            }
        let isInTime: SQL =
            isUnlimited
            ? "true"
            : "\(purpose.sent) IS NULL OR \(purpose.sent) <= now() - \(Self.intervalSeconds) * interval '1 second'"
        let rows = try await transaction.query(
            """
            UPDATE auth.users SET \(purpose.token) = \(token.hash), \(purpose.sent) = now(), updated_at = now()
            WHERE id = \(userID) \(isPending) AND (\(isInTime))
            RETURNING 1
            """
        )
        guard !rows.isEmpty else { throw try await refusal(purpose, userID, transaction) }
        // Both sides of a change of address share what the new one has stored.
        if purpose != .emailChangeCurrent {
            try await FlowStates(in: transaction).replace(by: challenge, for: purpose, of: userID)
        }
        guard transaction.tables.hasTokenTable else { return token }
        try await transaction.query(
            "DELETE FROM auth.one_time_tokens WHERE user_id = \(userID) AND token_type = \(purpose.typeText)"
        )
        try await transaction.query(
            """
            INSERT INTO auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to)
            VALUES (gen_random_uuid(), \(userID), \(purpose.typeText), \(token.hash), \(address.lowercased()))
            """
        )
        return token
    }

    /// The email's token; nil once it is of no use: redeemed, replaced by a later one, or expired.
    func open(_ message: QueuedEmail, _ purpose: MailPurpose) async throws -> OneTimeToken? {
        for key in keys.codeKeys {
            let token = try OneTimeToken.derive(
                key,
                purpose,
                address: message.address,
                nonce: message.nonce,
                isBound: message.isBound
            )
            if try await isValid(token, of: message.userID, purpose) { return token }
        }
        return nil
    }

    func isValid(_ token: OneTimeToken, of userID: String, _ purpose: MailPurpose) async throws -> Bool {
        let rows = try await accounts.database.query(
            """
            SELECT 1 FROM auth.users
            WHERE id = \(userID) AND rtrim(\(purpose.token), '#') = \(token.hash)
                AND \(purpose.sent) > now() - \(seconds(purpose)) * interval '1 second'
            """
        )
        return !rows.isEmpty
    }

    private func refusal(
        _ purpose: MailPurpose,
        _ userID: String,
        _ transaction: AccountTransaction
    ) async throws -> SignInError {
        let rows = try await transaction.query(
            """
            SELECT ceil(extract(epoch FROM \(purpose.sent) - now()) + \(Self.intervalSeconds))::integer AS seconds
            FROM auth.users WHERE id = \(userID)
            """
        )
        guard let row = rows.first else { return SignInError.userNotFound }
        let seconds = max(1, try row.decode(Int?.self, "seconds") ?? Self.intervalSeconds)
        return SignInError.tooManyMails(retryAfterSeconds: seconds)
    }

    // MARK: Redeeming

    /// A token from a client, to be checked by ``redeem(_:in:)``.
    struct Presented: Sendable {
        fileprivate let hash: String
        fileprivate let purposes: [MailPurpose]
        /// Known for a code, nil for a link.
        fileprivate let userID: String?
    }

    /// The user and the purpose of a redeemed token.
    struct Redeemed: Sendable {
        let userID: String
        let purpose: MailPurpose
    }

    /// `link` is the `token_hash` of a link, `type` the type in the request. Throws ``SignInError`` 400 or 403.
    func presented(link: String, type: String) throws(SignInError) -> Presented {
        let purposes = try Self.purposes(type)
        guard link.utf8.count <= 255, let hash = try? OneTimeToken.hash(ofLink: link) else { throw .expiredLink }
        return Presented(hash: hash, purposes: purposes, userID: nil)
    }

    /// Compares the code with the one that was sent to the address, and counts the attempt: after ``maximumAttempts``
    /// even the right code is refused. Throws ``SignInError`` 403 `otp_expired`. Runs outside of any transaction, so
    /// that a rollback does not undo the count.
    func takeAttempt(code: String, address: String, type: String) async throws -> Presented {
        try await takeAttempt(code, address, try Self.purposes(type))
    }

    /// The same for a code that was sent by text. nil for a wrong one; `isGuess` where there was one to be guessed.
    func takeAttempt(
        code: String,
        number: PhoneNumber,
        type: String
    ) async throws -> (presented: Presented?, isGuess: Bool) {
        guard let purpose = MailPurpose.texted(type) else { throw SignInError.invalid("Invalid sms verification type") }
        return try await attempt(code, number.rawValue, [purpose])
    }

    private func takeAttempt(_ code: String, _ address: String, _ purposes: [MailPurpose]) async throws -> Presented {
        guard let presented = try await attempt(code, address, purposes).presented else {
            throw SignInError.expiredCode
        }
        return presented
    }

    private func attempt(
        _ code: String,
        _ address: String,
        _ purposes: [MailPurpose]
    ) async throws -> (presented: Presented?, isGuess: Bool) {
        guard code.utf8.count == 6 else { return (nil, false) }
        var isGuess = false
        for purpose in purposes {
            for (userID, hash) in try await markAttempt(purpose, address) {
                isGuess = true
                guard try isCode(code, purpose, hash: hash, address: address) else { continue }
                return (Presented(hash: hash, purposes: [purpose], userID: userID), true)
            }
        }
        return (nil, isGuess)
    }

    /// The same for the code that was sent to make the owner of a session prove that the mailbox, or the phone, is
    /// theirs too.
    func takeReauthentication(code: String, of userID: String, address: String) async throws -> Presented {
        let isNumber = PhoneNumber(rawValue: address) != nil
        let purpose = isNumber ? MailPurpose.phoneReauthentication : .reauthentication
        guard code.utf8.count == 6 else { throw SignInError.expiredCode }
        for (owner, hash) in try await markAttempt(purpose, address) where owner == userID {
            guard try isCode(code, purpose, hash: hash, address: address) else { continue }
            return Presented(hash: hash, purposes: [purpose], userID: userID)
        }
        throw SignInError.expiredCode
    }

    func isCode(
        _ code: String,
        _ purpose: MailPurpose,
        hash: String,
        address: String
    ) throws(KeyError) -> Bool {
        if purpose.isText, let fixed = fixedCode(address) { return MessageDigest.isEqual(fixed, code) }
        for key in keys.codeKeys {
            let expected = try OneTimeToken.code(key, purpose, hash: hash, address: address)
            if MessageDigest.isEqual(expected, code) { return true }
        }
        return false
    }

    /// Invalidates the token and returns its user. Throws ``SignInError`` 403 `otp_expired` if it is unknown, expired
    /// or already used.
    func redeem(_ token: Presented, in transaction: AccountTransaction) async throws -> Redeemed {
        for purpose in token.purposes {
            var userID = token.userID
            if userID == nil { userID = try await owner(of: token.hash, purpose, transaction) }
            guard let userID else { continue }
            let rows = try await transaction.query(
                """
                UPDATE auth.users SET \(purpose.token) = ''
                WHERE id = \(userID) AND rtrim(\(purpose.token), '#') = \(token.hash)
                    AND \(purpose.sent) > now() - \(seconds(purpose)) * interval '1 second'
                RETURNING 1
                """
            )
            guard !rows.isEmpty else { continue }
            if transaction.tables.hasTokenTable {
                try await transaction.query(
                    "DELETE FROM auth.one_time_tokens WHERE user_id = \(userID) AND token_type = \(purpose.typeText)"
                )
            }
            return Redeemed(userID: userID, purpose: purpose)
        }
        throw token.userID == nil ? SignInError.expiredLink : .expiredCode
    }

    /// Appends a mark to the stored hash before the code is compared, so that concurrent guesses cannot exceed the
    /// maximum.
    ///
    /// Several accounts can wait for the same new address, each with its own code. Their number is limited, because
    /// each makes a lucky guess more likely.
    private func markAttempt(
        _ purpose: MailPurpose,
        _ address: String
    ) async throws -> [(userID: String, hash: String)] {
        let rows = try await accounts.withTables { tables in
            let isOwner =
                switch purpose {
                case .emailChange: tables.sql.awaitsEmail(address)
                case .phoneChange: tables.sql.awaitsPhone(address)
                case .text, .phoneReauthentication: tables.sql.hasPhone(address)
                default: tables.sql.hasEmail(address)
                }
            return try await accounts.database.query(
                """
                UPDATE auth.users AS u SET \(purpose.token) = \(purpose.token) || '#'
                WHERE \(isOwner) AND \(purpose.token) ~ \(Self.openHash)
                    AND \(purpose.sent) > now() - \(seconds(purpose)) * interval '1 second'
                RETURNING id::text AS id, rtrim(\(purpose.token), '#') AS hash
                """
            )
        }
        return try rows.prefix(Self.maximumAccounts).map { row in
            (try row.decode(String.self, "id"), try row.decode(String.self, "hash"))
        }
    }

    private func owner(
        of hash: String,
        _ purpose: MailPurpose,
        _ transaction: AccountTransaction
    ) async throws -> String? {
        let rows =
            if transaction.tables.hasTokenTable {
                try await transaction.query(
                    """
                    SELECT user_id::text AS id FROM auth.one_time_tokens
                    WHERE token_hash = \(hash) AND token_type = \(purpose.typeText)
                    """
                )
            } else {
                try await transaction.query(
                    "SELECT id::text AS id FROM auth.users WHERE rtrim(\(purpose.token), '#') = \(hash)"
                )
            }
        return try rows.first?.decode(String.self, "id")
    }

    private static func purposes(_ type: String) throws(SignInError) -> [MailPurpose] {
        let purposes = MailPurpose.named(type)
        guard !purposes.isEmpty else {
            throw SignInError.invalid("Unsupported verification type")
        }
        return purposes
    }
}

extension MailPurpose {
    fileprivate var typeText: String { tokenColumn.description }
}
