import Logging
import SwiftletPostgres

/// Tells the servers of a database what each of them has taken of the limits.
///
/// Loosely: each counts by itself, and once a second writes down what is worth knowing, and reads what all have taken. So
/// several servers together may take up to a second's requests more than one, and no request ever waits for the database.
/// A table carries it, and no notification, as those have 8 KB at most and do not pass transaction poolers.
struct RateSharing: Sendable {
    private let rates: RateLimits
    private let database: Database
    private let logger: Logger

    private static let interval = Duration.seconds(1)
    /// Of one turn. Those that are left wait for the next.
    private static let maximumClients = 2_000
    private static let turnsBetweenPurges = 60

    init(_ rates: RateLimits, _ database: Database, _ logger: Logger) {
        self.rates = rates
        self.database = database
        self.logger = logger
    }

    func run() async {
        guard !rates.counters.isEmpty else { return }
        var turn = 0
        var hasFailed = false
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            do throws(PostgresError) {
                try await share()
                turn += 1
                if turn.isMultiple(of: Self.turnsBetweenPurges) { try await purge() }
                hasFailed = false
            } catch {
                // Each server goes on by itself.
                if !hasFailed, !Task.isCancelled {
                    logger.warning("rate limits are not shared", metadata: ["db.state": "\(error.state.rawValue)"])
                }
                hasFailed = true
            }
        }
    }

    /// Tells what was taken since the last time, and learns what all have taken.
    func share() async throws(PostgresError) {
        var told: [RateCounter.Told] = []
        for counter in rates.counters { told += counter.tell(maximum: Self.maximumClients - told.count) }
        guard !told.isEmpty else { return }
        // In one order, so that no two servers wait for each other.
        told.sort { ($0.scope, $0.client, $0.period) < ($1.scope, $1.client, $1.period) }
        let rows = try await database.query(
            """
            INSERT INTO swiftlet.rate_counts AS c (scope, client, period, count, ends_at)
            SELECT scope, client, period, count, to_timestamp((period + 2) * seconds)
            FROM unnest(
                \(told.map(\.scope))::text[], \(told.map(\.client))::text[], \(told.map(\.period))::bigint[],
                \(told.map(\.count))::bigint[], \(told.map(\.windowSeconds))::bigint[]
            ) AS told (scope, client, period, count, seconds)
            ON CONFLICT (scope, client, period) DO UPDATE SET count = c.count + excluded.count
            RETURNING scope, client, period, count
            """
        )
        let counters = Dictionary(rates.counters.map { ($0.scope, $0) }) { first, _ in first }
        for row in rows {
            let counter = counters[try row.decode(String.self, "scope")]
            let (period, count) = (try row.decode(Int.self, "period"), try row.decode(Int.self, "count"))
            counter?.learn(count, of: try row.decode(String.self, "client"), in: period)
        }
    }

    private func purge() async throws(PostgresError) {
        _ = try await database.query("DELETE FROM swiftlet.rate_counts WHERE ends_at < clock_timestamp()")
    }
}
