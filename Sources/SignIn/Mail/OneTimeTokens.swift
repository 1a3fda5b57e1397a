package import Auth
internal import HTTP
package import Postgres
internal import Synchronization

/// The tokens that go out by mail: made, stored as hashes only, and redeemed once.
///
/// They live where GoTrue keeps them: in the token columns of `auth.users`, and in `auth.one_time_tokens` where that
/// table exists, which has the index for links. Redeeming empties the column in the caller's own transaction, so that
/// of two redeemers at once one succeeds, and a caller who fails later gives the token back.
package struct OneTimeTokens: Sendable {
    private let database: Database
    private let key: HMACKey
    private let lifetimeSeconds: Int
    private let intervalSeconds: Int
    private let known = Known()

    /// Codes that may be tried before only the link works.
    package static let maximumAttempts = 5
    private static let maximumAccounts = 10
    private static let hashLength = 64

    /// `key` is any secret that all servers of this database share. A token lives for `lifetimeSeconds`, and one address
    /// gets a mail at most every `intervalSeconds`.
    package init(
        database: Database,
        key: Secret,
        lifetimeSeconds: Int = 3600,
        intervalSeconds: Int = 60
    ) throws(KeyError) {
        self.database = database
        self.key = try HMACKey(key)
        self.lifetimeSeconds = lifetimeSeconds
        self.intervalSeconds = intervalSeconds
    }

    // MARK: Making

    /// Makes a token in place of the one before, which is void then. Commit before the mail goes out.
    ///
    /// Throws ``SignInError`` 429 when the last one was made less than the interval ago; `isSecondOfPair` is for the
    /// other half of a change of address, right after the first.
    package func make(
        _ purpose: MailPurpose,
        for userID: String,
        address: String,
        isSecondOfPair: Bool = false,
        in transaction: Transaction
    ) async throws -> OneTimeToken {
        let token = try OneTimeToken.make(key, purpose, address: address)
        let interval = isSecondOfPair ? 0 : intervalSeconds
        // Another change may have come in between: its address must not be proved by this token.
        let isPending: SQL = purpose == .emailChange ? "AND lower(email_change) = \(address.lowercased())" : ""
        let rows = try await transaction.query(
            """
            UPDATE auth.users SET \(purpose.token) = \(token.hash), \(purpose.sent) = now(), updated_at = now()
            WHERE id = \(userID) \(isPending)
                AND (\(purpose.sent) IS NULL OR \(purpose.sent) <= now() - \(interval) * interval '1 second')
            RETURNING 1
            """
        )
        guard !rows.isEmpty else { throw try await refusal(purpose, userID, transaction) }
        guard try await facts(transaction).hasTokenTable else { return token }
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

    private func refusal(
        _ purpose: MailPurpose,
        _ userID: String,
        _ transaction: Transaction
    ) async throws -> SignInError {
        let rows = try await transaction.query(
            """
            SELECT ceil(extract(epoch FROM \(purpose.sent) - now()) + \(intervalSeconds))::integer AS seconds
            FROM auth.users WHERE id = \(userID)
            """
        )
        guard let row = rows.first else { return SignInError(.notFound, "user_not_found", "User not found") }
        let seconds = max(1, try row.decode(Int?.self, "seconds") ?? intervalSeconds)
        return SignInError(
            .tooManyRequests,
            "over_email_send_rate_limit",
            "For security purposes, you can only request this after \(seconds) seconds.",
            retryAfterSeconds: seconds
        )
    }

    // MARK: Redeeming

    /// What a client has shown. Only ``redeem(_:in:)`` tells whether it counts, and uses it up.
    package struct Proof: Sendable {
        fileprivate let hash: String
        fileprivate let purposes: [MailPurpose]
        /// Known when a code was shown.
        fileprivate let userID: String?
    }

    /// Whose token it was, and what for.
    package struct Redeemed: Sendable {
        package let userID: String
        package let purpose: MailPurpose
    }

    /// `link` is the `token_hash` of a link, `type` as `/verify` has it.
    package func proof(link: String, type: String) throws(SignInError) -> Proof {
        let purposes = try Self.purposes(type)
        guard link.utf8.count <= 255, let hash = try? OneTimeToken.hash(ofLink: link) else { throw .expiredLink }
        return Proof(hash: hash, purposes: purposes, userID: nil)
    }

    /// Compares the six digits with those that the address was sent, and counts the attempt whatever the outcome: after
    /// ``maximumAttempts`` even the right ones are refused. Takes a transaction of its own, so that the count stays.
    package func proof(code: String, address: String, type: String) async throws -> Proof {
        let purposes = try Self.purposes(type)
        guard code.utf8.count == 6 else { throw SignInError.expiredCode }
        for purpose in purposes {
            for (userID, hash) in try await takeAttempt(purpose, address)
            where MessageDigest.isEqual(try OneTimeToken.code(key, purpose, hash, address), code) {
                return Proof(hash: hash, purposes: [purpose], userID: userID)
            }
        }
        throw SignInError.expiredCode
    }

    /// Uses the token up and says whose it was; throws ``SignInError`` 403 `otp_expired` when it is none, too old, or
    /// used already.
    package func redeem(_ proof: Proof, in transaction: Transaction) async throws -> Redeemed {
        let facts = try await facts(transaction)
        for purpose in proof.purposes {
            var userID = proof.userID
            if userID == nil { userID = try await owner(of: proof.hash, purpose, facts, transaction) }
            guard let userID else { continue }
            let rows = try await transaction.query(
                """
                UPDATE auth.users SET \(purpose.token) = ''
                WHERE id = \(userID) AND left(\(purpose.token), 64) = \(proof.hash)
                    AND \(purpose.sent) > now() - \(lifetimeSeconds) * interval '1 second'
                RETURNING 1
                """
            )
            guard !rows.isEmpty else { continue }
            if facts.hasTokenTable {
                try await transaction.query(
                    "DELETE FROM auth.one_time_tokens WHERE user_id = \(userID) AND token_type = \(purpose.typeText)"
                )
            }
            return Redeemed(userID: userID, purpose: purpose)
        }
        throw proof.userID == nil ? SignInError.expiredLink : .expiredCode
    }

    /// An attempt is a mark behind the stored hash, set before the code is looked at: of many guesses at once no more
    /// than the maximum get to compare.
    ///
    /// More than one account may wait for the same new address, each with a code of its own; a few of them only, as
    /// each makes a guess more likely to be right.
    private func takeAttempt(
        _ purpose: MailPurpose,
        _ address: String
    ) async throws -> [(userID: String, hash: String)] {
        let ownAccounts: SQL = try await facts().hasSSOMark ? "AND is_sso_user = false" : ""
        let last = Self.hashLength + Self.maximumAttempts - 1
        let rows = try await database.query(
            """
            UPDATE auth.users SET \(purpose.token) = \(purpose.token) || '#'
            WHERE \(purpose.address) = \(address.lowercased()) AND \(purpose.address) <> '' \(ownAccounts)
                AND length(\(purpose.token)) BETWEEN \(Self.hashLength) AND \(last)
                AND \(purpose.sent) > now() - \(lifetimeSeconds) * interval '1 second'
            RETURNING id::text AS id, left(\(purpose.token), 64) AS hash
            """
        )
        return try rows.prefix(Self.maximumAccounts).map { row in
            (try row.decode(String.self, "id"), try row.decode(String.self, "hash"))
        }
    }

    private func owner(
        of hash: String,
        _ purpose: MailPurpose,
        _ facts: Facts,
        _ transaction: Transaction
    ) async throws -> String? {
        let rows =
            if facts.hasTokenTable {
                try await transaction.query(
                    """
                    SELECT user_id::text AS id FROM auth.one_time_tokens
                    WHERE token_hash = \(hash) AND token_type = \(purpose.typeText)
                    """
                )
            } else {
                try await transaction.query(
                    "SELECT id::text AS id FROM auth.users WHERE left(\(purpose.token), 64) = \(hash)"
                )
            }
        return try rows.first?.decode(String.self, "id")
    }

    private static func purposes(_ type: String) throws(SignInError) -> [MailPurpose] {
        let purposes = MailPurpose.named(type)
        guard !purposes.isEmpty else {
            throw SignInError(.badRequest, "validation_failed", "Verify requires a verification type")
        }
        return purposes
    }

    /// Read once, and inside of a transaction on its own connection: a second one might not be free.
    private func facts(_ transaction: Transaction? = nil) async throws -> Facts {
        if let known = known.value.withLock({ $0 }) { return known }
        let question: SQL = """
            SELECT to_regclass('auth.one_time_tokens') IS NOT NULL AS has_table, EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = to_regclass('auth.users') AND attname = 'is_sso_user'
            ) AS has_mark
            """
        let rows =
            if let transaction { try await transaction.query(question) } else { try await database.query(question) }
        let facts = Facts(
            hasTokenTable: try rows.first?.decode(Bool.self, "has_table") ?? false,
            hasSSOMark: try rows.first?.decode(Bool.self, "has_mark") ?? false
        )
        known.value.withLock { $0 = facts }
        return facts
    }

    /// What this database has of GoTrue's newer tables.
    private struct Facts: Sendable {
        let hasTokenTable: Bool
        let hasSSOMark: Bool
    }

    private final class Known: Sendable {
        let value = Mutex<Facts?>(nil)
    }
}

extension MailPurpose {
    fileprivate var typeText: String { tokenColumn.description }
}

extension SignInError {
    static let expiredLink = SignInError(.forbidden, "otp_expired", "Email link is invalid or has expired")
    static let expiredCode = SignInError(.forbidden, "otp_expired", "Token has expired or is invalid")
}
