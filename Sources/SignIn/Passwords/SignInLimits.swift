package import Postgres

/// Counts wrong passwords per account and per network address, in the database, for all servers together.
///
/// Five failures within fifteen minutes lock an account for thirty; accounts that do not exist count as well, so that a
/// lock tells nothing. An address is locked after fifty, as an office shares one, and for IPv6 a network of 64 bits
/// counts as one address, as one machine has all of it.
///
/// A crowd of attempts at the same moment gains nothing: whoever finds the account locked when the password was
/// checked gets ``SignInLocked``, with the right password and with a wrong one alike.
package struct SignInLimits: Sendable {
    package static let failuresPerAccount = 5
    package static let failuresPerAddress = 50

    private let database: Database

    package init(database: Database) { self.database = database }

    /// Ask before the password is checked. Throws ``SignInLocked``.
    package func admit(account: String, address: String) async throws {
        let subjects = subjects(account, address)
        try refuse(
            try await database.query(
                """
                SELECT ceil(extract(epoch FROM max(locked_until) - (now() AT TIME ZONE 'UTC')))::bigint AS wait
                FROM login_attempts WHERE subject = ANY(\(subjects)) AND locked_until > now() AT TIME ZONE 'UTC'
                """
            )
        )
    }

    /// Throws ``SignInLocked`` when others have locked the account or the address meanwhile; the failure that itself
    /// brings the lock is still answered as a wrong password.
    ///
    /// Rows that nobody needs any more go on the same occasion, ten at a time.
    package func recordFailure(account: String, address: String) async throws {
        let subjects = subjects(account, address)
        // A row that is locked already stays as it is, and is missing in `counted`. Accounts come before addresses, so
        // that two servers never wait for each other in a circle.
        try refuse(
            try await database.query(
                """
                WITH moment AS (SELECT now() AT TIME ZONE 'UTC' AS now),
                swept AS (
                    DELETE FROM login_attempts WHERE id IN (
                        SELECT id FROM login_attempts, moment
                        WHERE updated_at < now - interval '1 hour' AND subject <> ALL(\(subjects))
                        ORDER BY updated_at LIMIT 10 FOR UPDATE OF login_attempts SKIP LOCKED
                    )
                ),
                counted AS (
                    INSERT INTO login_attempts AS known (subject, failures, attempt_count, last_attempt_at, updated_at)
                    SELECT entry.subject, ARRAY[now], 1, now, now
                    FROM moment, unnest(\(subjects)::text[]) WITH ORDINALITY AS entry (subject, place) ORDER BY place
                    ON CONFLICT (subject) DO UPDATE
                    SET (failures, attempt_count, locked_until, last_attempt_at, updated_at) = (
                        SELECT array_agg(failure ORDER BY failure), count(*),
                            CASE WHEN count(*) >= (
                                CASE WHEN known.subject LIKE 'account %' THEN \(Self.failuresPerAccount)::int
                                ELSE \(Self.failuresPerAddress)::int END
                            ) THEN excluded.updated_at + interval '30 minutes' END,
                            excluded.updated_at, excluded.updated_at
                        FROM unnest(known.failures || excluded.failures) AS failure
                        WHERE failure > excluded.updated_at - interval '15 minutes'
                    )
                    WHERE coalesce(known.locked_until <= excluded.updated_at, true)
                    RETURNING 1
                )
                SELECT CASE WHEN (SELECT count(*) FROM counted) < 2 THEN coalesce(
                    (
                        SELECT ceil(extract(epoch FROM max(locked_until) - max(now)))::bigint FROM login_attempts, moment
                        WHERE subject = ANY(\(subjects)) AND locked_until > now
                    ),
                    1800
                ) END AS wait
                """
            )
        )
    }

    /// Forgets the account's failures, not the address's: whoever guesses many accounts has one of their own to sign in
    /// to. Throws ``SignInLocked`` when others have locked the account while this password was checked.
    package func recordSuccess(account: String, address: String) async throws {
        let subjects = subjects(account, address)
        try refuse(
            try await database.query(
                """
                WITH forgotten AS (
                    DELETE FROM login_attempts WHERE subject = (\(subjects)::text[])[1]
                        AND coalesce(locked_until <= now() AT TIME ZONE 'UTC', true)
                )
                SELECT ceil(extract(epoch FROM max(locked_until) - (now() AT TIME ZONE 'UTC')))::bigint AS wait
                FROM login_attempts WHERE subject = ANY(\(subjects)) AND locked_until > now() AT TIME ZONE 'UTC'
                """
            )
        )
    }

    /// An account goes by its lower-cased e-mail; longer ones than any account can have are cut, so that they count.
    private func subjects(_ account: String, _ address: String) -> [String] {
        let account = String(decoding: account.lowercased().utf8.prefix(Self.maximumAccountBytes), as: UTF8.self)
        // PostgreSQL's text holds no NUL.
        return ["account \(account)", "address \(ClientAddress.network(of: address))"].map {
            $0.utf8.contains(0) ? String($0.unicodeScalars.filter { $0.value != 0 }.map(Character.init)) : $0
        }
    }

    private static let maximumAccountBytes = 320

    private func refuse(_ rows: [Row]) throws {
        guard let wait = try rows.first?.decode(Int?.self, "wait") else { return }
        throw SignInLocked(retryAfterSeconds: max(1, wait))
    }
}
