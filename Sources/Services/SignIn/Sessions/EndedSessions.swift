package import SwiftletAuth
package import SwiftletPostgres
import Synchronization

/// Keeps the verifier's list of ended sessions and accounts equal to the one in the database, which all servers share.
package final class EndedSessions: Sendable {
    /// How often the list is read although nobody announced a change.
    private static let interval = Duration.seconds(30)
    /// The same behind a pooler, through which no announcement comes.
    private static let intervalWithoutNotice = Duration.seconds(5)
    private static let pruneInterval = Duration.seconds(600)
    /// A change becomes visible at its transaction's end, but bears the time of its start.
    private static let overlapSeconds = 120
    /// The newest ones count. Each takes 40 bytes.
    private static let maximumCount = 200_000

    private let database: Database
    private let verifier: TokenVerifier
    private let state = Mutex(State())

    private struct State: Sendable {
        /// With the seconds since 1970 until which each is kept.
        var owners: [TokenOwner: Double] = [:]
        /// Until when the list has been read, in seconds since 1970.
        var readUntil = 0.0
        /// Something may have been removed.
        var mustReadAll = true
        /// How many readings have been applied.
        var readings = 0
    }

    package init(_ database: Database, _ verifier: TokenVerifier) {
        self.database = database
        self.verifier = verifier
    }

    /// Follows the list until the task is cancelled.
    package func keepFresh() async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let listening = database.listen(to: EndedTokenSQL.channel) { [weak self] payload in
            // What was announced before the connection was made is unknown.
            if payload != "" { self?.state.withLock { $0.mustReadAll = true } }
            wake.yield()
        }
        let interval = listening == nil ? Self.intervalWithoutNotice : Self.interval
        await withTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    wake.yield()
                    try? await Task.sleep(for: interval)
                }
            }
            group.addTask { await self.prune() }
            for await _ in wakes where !Task.isCancelled { await refresh() }
            group.cancelAll()
        }
        listening?.close()
    }

    /// Reads what is new, or all, where something was removed. If the database cannot be read, the list stays as it is.
    package func refresh(readingAll: Bool = false) async {
        if readingAll { state.withLock { $0.mustReadAll = true } }
        let before = state.withLock { state in
            defer { state.mustReadAll = false }
            return state
        }
        let since = before.mustReadAll ? nil : before.readUntil
        guard let (rows, now) = try? await read(since: since) else {
            return state.withLock { state in if since == nil { state.mustReadAll = true } }
        }
        let owners = state.withLock { state in
            if since == nil {
                // What another reading has found meanwhile may be newer than this one.
                if state.readings == before.readings { state.owners = [:] } else { state.mustReadAll = true }
            }
            for (owner, end) in rows { state.owners[owner] = end }
            state.owners = state.owners.filter { $0.value > now }
            state.readUntil = max(state.readUntil, now)
            state.readings += 1
            return Set(state.owners.keys)
        }
        verifier.refuseTokens(of: owners)
    }

    private func read(since: Double?) async throws(PostgresError) -> (rows: [(TokenOwner, Double)], now: Double) {
        let isNew: SQL = since.map { "ended_at > to_timestamp(\($0 - Double(Self.overlapSeconds)))" } ?? "true"
        let rows = try await database.query(
            """
            SELECT owner_id::text AS owner, extract(epoch FROM kept_until)::float8 AS kept,
                extract(epoch FROM now())::float8 AS now
            FROM (
                (SELECT owner_id, kept_until FROM swiftlet.ended_tokens WHERE kept_until > now() AND \(isNew)
                ORDER BY ended_at DESC LIMIT \(Self.maximumCount))
                UNION ALL SELECT NULL, NULL
            ) AS list
            """
        )
        var owners: [(TokenOwner, Double)] = []
        var now = 0.0
        for row in rows {
            now = (try? row.decode(Double.self, "now")) ?? now
            guard let owner = row["owner"].flatMap({ TokenOwner($0) }), let kept = try? row.decode(Double.self, "kept")
            else { continue }
            owners.append((owner, kept))
        }
        return (owners, now)
    }

    /// Deletes what no token needs any more, until the task is cancelled.
    private func prune() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pruneInterval)
            _ = try? await database.query("DELETE FROM swiftlet.ended_tokens WHERE kept_until < now()")
        }
    }
}
