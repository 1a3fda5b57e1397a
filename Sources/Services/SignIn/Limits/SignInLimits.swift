import SwiftletPostgres
import SwiftletWeb

/// Counts wrong passwords per account and per IP address, in the database, for all servers together.
///
/// Five failures within fifteen minutes lock an account for thirty minutes. Accounts that do not exist are locked as
/// well, so that a lock reveals nothing. The same number locks an address; for IPv6, a /64 network counts as one
/// address. Because an office or a whole mobile network may share one address:
///
/// - A locked address still admits accounts that have a session from it. They are subject to their own limit, and
///   their failures do not extend the lock. This reveals, to clients with that address and only while it is locked,
///   whether an account has been used from there.
/// - A private address (Docker's gateway, a proxy that sets no header) does not identify a client: it is locked after
///   fifty failures, and then for all accounts.
///
/// Whoever has a session from an address has five attempts of their own there: strangers lock themselves out, not them.
///
/// Concurrent attempts gain nothing: if the account or the address is locked by the time that the password has been
/// checked, the result is 429, whether the password was right or wrong.
struct SignInLimits: Sendable {
    static let failuresPerAccount = 5
    static let failuresPerAddress = 5
    /// For an address that stands for a whole network.
    static let failuresPerNetwork = 50
    /// In which failures are counted.
    private static let windowSeconds = 900
    private static let lockSeconds = 1800
    /// After which a row that has not changed is deleted; longer than any lock.
    private static let retentionSeconds = 3600

    private var accounts: AccountStore

    init(_ accounts: AccountStore) { self.accounts = accounts }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { accounts.count(in: context) }

    /// What is guessed; each is counted separately.
    enum Credential: Sendable {
        case password
        /// The code in a mail.
        case code
        /// The code of a second factor.
        case factor
        /// A code in place of a second factor.
        case recoveryCode
        /// The signature of a passkey.
        case passkey
    }

    /// Call before the password is checked. Throws ``SignInError`` 429.
    func admit(account: String, by credential: Credential = .password, address: String) async throws {
        let network = Network(address)
        let subjects = Subjects(account, credential, network)
        try refuse(
            try await accounts.withTables { tables in
                try await accounts.database.query("SELECT \(wait(account, subjects, network, tables)) AS wait")
            }
        )
    }

    /// Call after a wrong password. Throws ``SignInError`` 429 if concurrent attempts have locked the account or the
    /// address; the failure that causes the lock does not throw.
    ///
    /// Also deletes up to ten expired rows.
    func recordFailure(account: String, by credential: Credential = .password, address: String) async throws {
        let network = Network(address)
        let subjects = Subjects(account, credential, network)
        // A row that is already locked is not changed, and missing in `counted`. Accounts come before addresses to
        // avoid deadlocks.
        try refuse(
            try await accounts.withTables { tables in
                try await accounts.database.query(
                    """
                    WITH moment AS (SELECT now() AT TIME ZONE 'UTC' AS now),
                    \(Self.sweeping(subjects.all)),
                    counted AS (
                        INSERT INTO swiftlet.login_attempts AS known (subject, failures, attempt_count, last_attempt_at, updated_at)
                        SELECT entry.subject, ARRAY[now], 1, now, now
                        FROM moment, unnest(\(counted(subjects, account, network, tables))) WITH ORDINALITY AS entry (subject, place)
                        ORDER BY place
                        ON CONFLICT (subject) DO UPDATE
                        SET (failures, attempt_count, locked_until, last_attempt_at, updated_at) = (
                            SELECT array_agg(failure ORDER BY failure), count(*),
                                CASE WHEN count(*) >= (
                                    CASE WHEN known.subject LIKE 'account %' THEN \(Self.failuresPerAccount)::int
                                    ELSE \(network.failures)::int END
                                ) THEN excluded.updated_at + \(Self.lockSeconds)::int * interval '1 second' END,
                                excluded.updated_at, excluded.updated_at
                            FROM unnest(known.failures || excluded.failures) AS failure
                            WHERE failure > excluded.updated_at - \(Self.windowSeconds)::int * interval '1 second'
                        )
                        WHERE coalesce(known.locked_until <= excluded.updated_at, true)
                        RETURNING known.subject
                    )
                    SELECT CASE
                        WHEN (SELECT count(*) FROM counted) = 2 THEN NULL
                        WHEN EXISTS (SELECT FROM counted WHERE subject LIKE 'account %')
                            AND \(isFamiliar(account, network, tables)) THEN NULL
                        ELSE coalesce(\(wait(account, subjects, network, tables)), \(Self.lockSeconds)::int)
                    END AS wait
                    """
                )
            }
        )
    }

    /// Call after the right password. Resets the account's failures, but not the address's, because
    /// an attacker may have an account of their own. Throws ``SignInError`` 429 if concurrent
    /// attempts have locked the account meanwhile.
    func recordSuccess(account: String, by credential: Credential = .password, address: String) async throws {
        let network = Network(address)
        let subjects = Subjects(account, credential, network)
        try refuse(
            try await accounts.withTables { tables in
                try await accounts.database.query(
                    """
                    WITH forgotten AS (
                        DELETE FROM swiftlet.login_attempts WHERE subject = (\(counted(subjects, account, network, tables)))[1]
                            AND coalesce(locked_until <= now() AT TIME ZONE 'UTC', true)
                    )
                    SELECT \(wait(account, subjects, network, tables)) AS wait
                    """
                )
            }
        )
    }

    // MARK: Statements

    /// A CTE that deletes up to ten expired rows, except those of `subjects`. Needs the CTE `moment`.
    static func sweeping(_ subjects: [String]) -> SQL {
        """
        swept AS (
            DELETE FROM swiftlet.login_attempts WHERE id IN (
                SELECT id FROM swiftlet.login_attempts, moment
                WHERE updated_at < now - \(retentionSeconds)::int * interval '1 second' AND subject <> ALL(\(subjects))
                ORDER BY updated_at LIMIT 10 FOR UPDATE OF login_attempts SKIP LOCKED
            )
        )
        """
    }

    /// The names that an attempt counts for: the account's, and the network's.
    private func counted(
        _ subjects: Subjects,
        _ account: String,
        _ network: Network,
        _ tables: AccountTables
    ) -> SQL {
        guard network.range != nil else { return "ARRAY[\(subjects.account), \(subjects.network)]::text[]" }
        return """
            ARRAY[
                CASE WHEN \(isFamiliar(account, network, tables)) THEN \(subjects.familiar) ELSE \(subjects.account) END,
                \(subjects.network)
            ]::text[]
            """
    }

    /// The remaining seconds of the lock for this account in this network, NULL if there is none.
    private func wait(_ account: String, _ subjects: Subjects, _ network: Network, _ tables: AccountTables) -> SQL {
        """
        (
            SELECT CASE
                WHEN until IS NULL THEN NULL
                WHEN is_account OR NOT \(isFamiliar(account, network, tables))
                    THEN ceil(extract(epoch FROM until - (now() AT TIME ZONE 'UTC')))::bigint
            END
            FROM (
                SELECT max(locked_until) AS until, bool_or(subject LIKE 'account %') AS is_account
                FROM swiftlet.login_attempts
                WHERE subject = ANY(\(counted(subjects, account, network, tables))) AND locked_until > now() AT TIME ZONE 'UTC'
            ) AS locks
        )
        """
    }

    /// Whether the account has a session from this network.
    private func isFamiliar(_ account: String, _ network: Network, _ tables: AccountTables) -> SQL {
        guard let range = network.range, tables.has("sessions", "ip") else { return "false" }
        return """
            EXISTS (
                SELECT FROM auth.users AS u JOIN auth.sessions AS s ON s.user_id = u.id
                WHERE \(tables.sql.isNamed(Self.withoutNUL(account))) AND s.ip <<= \(range)::inet
            )
            """
    }

    /// Where an attempt comes from: an IPv4 address, or an IPv6 /64 network.
    private struct Network {
        let subject: String
        /// How many failures lock it.
        let failures: Int
        /// For PostgreSQL's `inet`; nil if the address does not identify a client.
        let range: String?

        init(_ address: String) {
            let known = IPAddress(address)
            let isPublic = known?.isPrivate == false
            subject = "address \(known?.network ?? address)"
            failures = isPublic ? SignInLimits.failuresPerAddress : SignInLimits.failuresPerNetwork
            range = isPublic ? known?.network : nil
        }
    }

    /// The names that attempts are counted under.
    private struct Subjects {
        /// For strangers, and in networks that do not identify a client.
        let account: String
        /// For who has a session from there.
        let familiar: String
        let network: String

        /// Accounts are identified by their address in lower case or by their number. Longer ones than any account can
        /// have are truncated.
        init(_ account: String, _ credential: Credential, _ network: Network) {
            let prefix =
                switch credential {
                case .password: ""
                case .code: "code "
                case .factor: "factor "
                case .recoveryCode: "recovery code "
                case .passkey: "passkey "
                }
            let name = prefix + account.lowercased()
            let account = String(decoding: name.utf8.prefix(Self.maximumAccountBytes), as: UTF8.self)
            self.account = SignInLimits.withoutNUL("account \(account)")
            familiar = SignInLimits.withoutNUL("account \(account) at \(network.range ?? "")")
            self.network = SignInLimits.withoutNUL(network.subject)
        }

        var all: [String] { [account, familiar, network] }

        private static let maximumAccountBytes = 320
    }

    /// PostgreSQL's text cannot contain U+0000.
    private static func withoutNUL(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0.value != 0 }.map(Character.init)) : text
    }

    private func refuse(_ rows: [Row]) throws {
        guard let wait = try rows.first?.decode(Int?.self, "wait") else { return }
        throw SignInError.tooManyRequests(retryAfterSeconds: max(1, wait))
    }
}
