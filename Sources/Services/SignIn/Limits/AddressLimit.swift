import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Counts what one IP address asks for, in the database, for all servers together.
///
/// An IPv6 /64 network counts as one address. A private address, or none, stands for a whole network and has a higher
/// limit.
struct AddressLimit: Sendable {
    private(set) var database: AccountDatabase
    /// What is counted.
    let kind: String
    let perAddress: Int
    let perNetwork: Int
    let seconds: Int

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { database.count(in: context) }

    /// Counts one more, unless the limit is reached: then returns the seconds until it is not.
    func take(address: String) async throws -> Int? {
        let (subject, limit) = subject(address)
        return try await take(subject, limit)
    }

    /// Counts one more for something other than an address, up to ``perAddress``.
    func take(name: String) async throws -> Int? { try await take("\(kind) \(name)", perAddress) }

    private func take(_ subject: String, _ limit: Int) async throws -> Int? {
        let rows = try await database.query(
            """
            WITH moment AS (
                SELECT now() AT TIME ZONE 'UTC' AS now,
                    (now() AT TIME ZONE 'UTC') - \(seconds)::int * interval '1 second' AS start
            ),
            \(SignInLimits.sweeping([subject])),
            counted AS (
                INSERT INTO swiftlet.login_attempts AS known (subject, failures, attempt_count, last_attempt_at, updated_at)
                SELECT \(subject), ARRAY[now], 1, now, now FROM moment
                ON CONFLICT (subject) DO UPDATE
                SET (failures, attempt_count, last_attempt_at, updated_at) = (
                    SELECT array_agg(attempt ORDER BY attempt), count(*), excluded.updated_at, excluded.updated_at
                    FROM unnest(known.failures || excluded.failures) AS attempt
                    WHERE attempt > excluded.updated_at - \(seconds)::int * interval '1 second'
                )
                WHERE (
                    SELECT count(*) FROM unnest(known.failures) AS attempt
                    WHERE attempt > excluded.updated_at - \(seconds)::int * interval '1 second'
                ) < \(limit)::int
                RETURNING 1
            )
            SELECT CASE WHEN NOT EXISTS (SELECT FROM counted) THEN coalesce(
                (
                    SELECT ceil(extract(epoch FROM min(attempt) - min(start)))::bigint
                    FROM moment, swiftlet.login_attempts, unnest(failures) AS attempt
                    WHERE subject = \(subject) AND attempt > start
                ),
                1
            ) END AS wait
            """
        )
        return try wait(in: rows)
    }

    /// What ``take(address:)`` would return, without counting.
    func wait(address: String) async throws -> Int? {
        let (subject, limit) = subject(address)
        let rows = try await database.query(
            """
            SELECT ceil(extract(epoch FROM min(attempt) - (now() AT TIME ZONE 'UTC')) + \(seconds)::int)::bigint AS wait
            FROM swiftlet.login_attempts, unnest(failures) AS attempt
            WHERE subject = \(subject) AND attempt > (now() AT TIME ZONE 'UTC') - \(seconds)::int * interval '1 second'
            HAVING count(*) >= \(limit)::int
            """
        )
        return try wait(in: rows)
    }

    private func wait(in rows: [Row]) throws -> Int? {
        try rows.first?.decode(Int?.self, "wait").map { max(1, $0) }
    }

    private func subject(_ text: String) -> (subject: String, limit: Int) {
        guard let address = IPAddress(text) else { return (kind, perNetwork) }
        return ("\(kind) \(address.network)", address.isPrivate ? perNetwork : perAddress)
    }
}
