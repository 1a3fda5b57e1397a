import HTTP
import Postgres

/// Counts sign-ups per IP address, in the database, for all servers together.
///
/// Anybody can cause the cost of a sign-up: a row, and a hash or a mail. Private addresses are not counted, because
/// they stand for a whole network; an IPv6 /64 network counts as one address.
struct SignUpLimits: Sendable {
    static let perAddress = 30
    static let seconds = 300

    private let database: AccountDatabase

    init(_ database: Database) { self.database = AccountDatabase(database) }

    /// Call before any other work. Throws ``SignInError`` 429 after ``perAddress`` sign-ups within ``seconds``; refused
    /// ones do not count.
    func admit(address: String) async throws {
        guard let address = IPAddress(address), !address.isPrivate else { return }
        let subject = "sign-ups \(address.network)"
        let rows = try await database.query(
            """
            WITH moment AS (
                SELECT now() AT TIME ZONE 'UTC' AS now,
                    (now() AT TIME ZONE 'UTC') - \(Self.seconds)::int * interval '1 second' AS start
            ),
            \(SignInLimits.sweeping([subject])),
            counted AS (
                INSERT INTO login_attempts AS known (subject, failures, attempt_count, last_attempt_at, updated_at)
                SELECT \(subject), ARRAY[now], 1, now, now FROM moment
                ON CONFLICT (subject) DO UPDATE
                SET (failures, attempt_count, last_attempt_at, updated_at) = (
                    SELECT array_agg(attempt ORDER BY attempt), count(*), excluded.updated_at, excluded.updated_at
                    FROM unnest(known.failures || excluded.failures) AS attempt
                    WHERE attempt > excluded.updated_at - \(Self.seconds)::int * interval '1 second'
                )
                WHERE (
                    SELECT count(*) FROM unnest(known.failures) AS attempt
                    WHERE attempt > excluded.updated_at - \(Self.seconds)::int * interval '1 second'
                ) < \(Self.perAddress)::int
                RETURNING 1
            )
            SELECT CASE WHEN NOT EXISTS (SELECT FROM counted) THEN coalesce(
                (
                    SELECT ceil(extract(epoch FROM min(attempt) - min(start)))::bigint
                    FROM moment, login_attempts, unnest(failures) AS attempt
                    WHERE subject = \(subject) AND attempt > start
                ),
                1
            ) END AS wait
            """
        )
        guard let wait = try rows.first?.decode(Int?.self, "wait") else { return }
        throw SignInError.tooManyRequests(retryAfterSeconds: max(1, wait))
    }
}
