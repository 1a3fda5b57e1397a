internal import Postgres

/// Counts wrong passwords per account and per network address, in the database, for all servers together.
///
/// Five failures within fifteen minutes lock an account for thirty; accounts that do not exist count as well, so that a
/// lock tells nothing. They lock an address too, and for IPv6 a network of 64 bits counts as one address, as one machine
/// has all of it. Two things temper that, as behind one address there may be an office, or half a carrier:
///
/// - A locked address still admits accounts that have a session from it. These stay under their own limit, and their
///   failures do not prolong the lock. So somebody at that address may learn, while it is locked, whether an account
///   has been used from there; nobody else learns anything, and five wrong passwords remain the end for each account.
/// - A private address (Docker's gateway, a proxy that forwards nothing) tells nobody from anybody else: it is locked
///   after fifty only, and then for all, as everybody has a session from it.
///
/// A crowd of attempts at the same moment gains nothing: whoever finds the account or the address locked when the
/// password was checked gets ``SignInLocked``, with the right password and with a wrong one alike.
struct SignInLimits: Sendable {
    static let failuresPerAccount = 5
    static let failuresPerAddress = 5
    /// Of an address that stands for a whole network.
    static let failuresPerNetwork = 50

    private let accounts: AccountStore

    init(_ accounts: AccountStore) { self.accounts = accounts }

    /// What is guessed; each is counted by itself.
    enum Proof: Sendable {
        case password
        /// The digits of a mail.
        case code
    }

    /// Ask before the password is checked. Throws ``SignInLocked``.
    func admit(account: String, by proof: Proof = .password, address: String) async throws {
        let place = Place(address)
        let subjects = subjects(account, proof, place)
        try refuse(
            try await accounts.withShape { shape in
                try await accounts.database.query("SELECT \(wait(account, subjects, place, shape)) AS wait")
            }
        )
    }

    /// Throws ``SignInLocked`` when others have locked the account or the address meanwhile; the failure that itself
    /// brings the lock is still answered as a wrong password.
    ///
    /// Rows that nobody needs any more go on the same occasion, ten at a time.
    func recordFailure(account: String, by proof: Proof = .password, address: String) async throws {
        let place = Place(address)
        let subjects = subjects(account, proof, place)
        // A row that is locked already stays as it is, and is missing in `counted`. Accounts come before addresses, so
        // that two servers never wait for each other in a circle.
        try refuse(
            try await accounts.withShape { shape in
                try await accounts.database.query(
                    """
                    WITH moment AS (SELECT now() AT TIME ZONE 'UTC' AS now),
                    \(Self.sweeping(subjects)),
                    counted AS (
                        INSERT INTO login_attempts AS known (subject, failures, attempt_count, last_attempt_at, updated_at)
                        SELECT entry.subject, ARRAY[now], 1, now, now
                        FROM moment, unnest(\(subjects)::text[]) WITH ORDINALITY AS entry (subject, place)
                        ORDER BY place
                        ON CONFLICT (subject) DO UPDATE
                        SET (failures, attempt_count, locked_until, last_attempt_at, updated_at) = (
                            SELECT array_agg(failure ORDER BY failure), count(*),
                                CASE WHEN count(*) >= (
                                    CASE WHEN known.subject LIKE 'account %' THEN \(Self.failuresPerAccount)::int
                                    ELSE \(place.failures)::int END
                                ) THEN excluded.updated_at + interval '30 minutes' END,
                                excluded.updated_at, excluded.updated_at
                            FROM unnest(known.failures || excluded.failures) AS failure
                            WHERE failure > excluded.updated_at - interval '15 minutes'
                        )
                        WHERE coalesce(known.locked_until <= excluded.updated_at, true)
                        RETURNING known.subject
                    )
                    SELECT CASE
                        WHEN (SELECT count(*) FROM counted) = 2 THEN NULL
                        WHEN EXISTS (SELECT FROM counted WHERE subject LIKE 'account %')
                            AND \(isFamiliar(account, place, shape)) THEN NULL
                        ELSE coalesce(\(wait(account, subjects, place, shape)), 1800)
                    END AS wait
                    """
                )
            }
        )
    }

    /// Forgets the account's failures, not the address's: whoever guesses many accounts has one of their own to sign in
    /// to. Throws ``SignInLocked`` when others have locked the account while this password was checked.
    func recordSuccess(account: String, by proof: Proof = .password, address: String) async throws {
        let place = Place(address)
        let subjects = subjects(account, proof, place)
        try refuse(
            try await accounts.withShape { shape in
                try await accounts.database.query(
                    """
                    WITH forgotten AS (
                        DELETE FROM login_attempts WHERE subject = (\(subjects)::text[])[1]
                            AND coalesce(locked_until <= now() AT TIME ZONE 'UTC', true)
                    )
                    SELECT \(wait(account, subjects, place, shape)) AS wait
                    """
                )
            }
        )
    }

    // MARK: Statements

    /// Part of a statement with `moment`: removes ten rows that nobody needs any more, but none of these.
    static func sweeping(_ subjects: [String]) -> SQL {
        """
        swept AS (
            DELETE FROM login_attempts WHERE id IN (
                SELECT id FROM login_attempts, moment
                WHERE updated_at < now - interval '1 hour' AND subject <> ALL(\(subjects))
                ORDER BY updated_at LIMIT 10 FOR UPDATE OF login_attempts SKIP LOCKED
            )
        )
        """
    }

    /// How many seconds from now the account has to wait at this place, NULL for none. Sessions are looked at only where
    /// the address alone is locked: CASE computes no more than it needs.
    private func wait(_ account: String, _ subjects: [String], _ place: Place, _ shape: AccountStore.Shape) -> SQL {
        """
        (
            SELECT CASE
                WHEN until IS NULL THEN NULL
                WHEN is_account OR NOT \(isFamiliar(account, place, shape))
                    THEN ceil(extract(epoch FROM until - (now() AT TIME ZONE 'UTC')))::bigint
            END
            FROM (
                SELECT max(locked_until) AS until, bool_or(subject LIKE 'account %') AS is_account
                FROM login_attempts WHERE subject = ANY(\(subjects)) AND locked_until > now() AT TIME ZONE 'UTC'
            ) AS locks
        )
        """
    }

    /// Whether the account has, or has had, a session from here.
    private func isFamiliar(_ account: String, _ place: Place, _ shape: AccountStore.Shape) -> SQL {
        guard let network = place.network, shape.tables.has("sessions", "ip") else { return "false" }
        return """
            EXISTS (
                SELECT FROM auth.users AS u JOIN auth.sessions AS s ON s.user_id = u.id
                WHERE \(shape.sql.hasEmail(Self.withoutNUL(account))) AND s.ip <<= \(network)::inet
            )
            """
    }

    /// Where attempts come from.
    private struct Place {
        let subject: String
        /// How many of them lock it.
        let failures: Int
        /// As PostgreSQL's `inet`; nil where an address does not tell who is there.
        let network: String?

        init(_ address: String) {
            let known = IPAddress(address)
            let isPublic = known?.isPrivate == false
            subject = "address \(ClientAddress.network(of: address))"
            failures = isPublic ? SignInLimits.failuresPerAddress : SignInLimits.failuresPerNetwork
            network = isPublic ? known?.network : nil
        }
    }

    /// An account goes by its lower-cased e-mail; longer ones than any account can have are cut, so that they count.
    private func subjects(_ account: String, _ proof: Proof, _ place: Place) -> [String] {
        let name = (proof == .code ? "code " : "") + account.lowercased()
        let account = String(decoding: name.utf8.prefix(Self.maximumAccountBytes), as: UTF8.self)
        return ["account \(account)", place.subject].map(Self.withoutNUL)
    }

    private static let maximumAccountBytes = 320

    /// PostgreSQL's text holds none.
    private static func withoutNUL(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0.value != 0 }.map(Character.init)) : text
    }

    private func refuse(_ rows: [Row]) throws {
        guard let wait = try rows.first?.decode(Int?.self, "wait") else { return }
        throw SignInLocked(retryAfterSeconds: max(1, wait))
    }
}
