package import SwiftletPostgres

/// The queue as an operator sees it: what waits, runs, and has ended.
package struct JobDirectory: ~Copyable {
    private let connection: BlockingConnection

    package init(_ url: String) throws(BlockingConnectionError) { connection = try BlockingConnection.connect(to: url) }

    package static let states = ["waiting", "running", "failed", "done", "cancelled"]
    package static let header = ["ID", "STATE", "JOB", "DUE", "ATTEMPTS", "TENANT", "KEY", "ERROR"]

    /// Everything about a job, whichever table it is in. Claims and payload stay out of lists.
    private static let all = """
        SELECT id, CASE WHEN worker IS NULL THEN 'waiting' ELSE 'running' END AS state, name, priority, due, attempts,
            enqueued_at, started_at, NULL::timestamptz AS finished_at, key, scope, tenant, request_id, last_error, payload
        FROM swiftlet.jobs
        UNION ALL
        SELECT id, state, name, priority, due, attempts, enqueued_at, started_at, finished_at, key, scope, tenant,
            request_id, last_error, payload
        FROM swiftlet.job_history
        """

    /// The newest first, cells for ``header``. nil stands for any state or name; then what is done is left out. A job that
    /// waits without being `declared` says so.
    package func list(
        state: String?,
        name: String?,
        limit: Int,
        declared: [String]
    ) throws(BlockingConnectionError) -> [[String]] {
        try connection.query(
            """
            SELECT id, state, name, to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), attempts,
                coalesce(tenant, '-'), coalesce(key, '-'), coalesce(
                    CASE WHEN state = 'waiting' AND name <> ALL (string_to_array($4, chr(10))) THEN 'this program declares no such job' END,
                    left(last_error, 80), '-'
                )
            FROM (\(Self.all)) AS job
            WHERE ($1::text = state OR ($1::text IS NULL AND state <> 'done')) AND ($2::text IS NULL OR name = $2)
            ORDER BY id DESC LIMIT $3
            """,
            [state, name, String(limit), declared.joined(separator: "\n")]
        )
        .map { $0.map { ($0 ?? "-").replacing("\n", with: " ") } }
    }

    /// All that is kept of a job, by name; nil if it is unknown.
    package func show(_ id: Int) throws(BlockingConnectionError) -> [(name: String, value: String)]? {
        let names = [
            "id", "state", "name", "priority", "due", "attempts", "enqueued_at", "started_at", "finished_at", "key",
            "scope", "tenant", "request_id", "last_error", "payload",
        ]
        let rows = try connection.query(
            "SELECT \(names.joined(separator: ", ")) FROM (\(Self.all)) AS job WHERE id = $1",
            [String(id)]
        )
        return rows.first.map { row in zip(names, row).map { ($0, $1 ?? "-") } }
    }

    /// Lets failed jobs, or one that waits, run now; how many. nil stands for all that have failed, of this name.
    package func retry(_ id: Int?, name: String?) throws(BlockingConnectionError) -> Int {
        let moved = try connection.query(
            """
            WITH ended AS (
                DELETE FROM swiftlet.job_history
                WHERE state = 'failed' AND ($1::bigint IS NULL OR id = $1) AND ($2::text IS NULL OR name = $2)
                RETURNING *
            )
            INSERT INTO swiftlet.jobs (
                id, name, priority, key, scope, tenant, caller, caller_level, caller_is_external, request_id,
                last_error, payload
            )
            SELECT id, name, priority, NULL, scope, tenant, caller, caller_level, caller_is_external, request_id,
                last_error, payload
            FROM ended RETURNING id
            """,
            [id.map { String($0) }, name]
        )
        var count = moved.count
        if let id {
            count += try connection.query(
                "UPDATE swiftlet.jobs SET due = clock_timestamp() WHERE id = $1 AND worker IS NULL RETURNING id",
                [String(id)]
            )
            .count
        }
        try connection.execute("NOTIFY swiftlet_jobs")
        return min(count, id == nil ? count : 1)
    }

    /// False unless it waited.
    package func cancel(_ id: Int) throws(BlockingConnectionError) -> Bool {
        let ended = try connection.query(
            """
            WITH ended AS (DELETE FROM swiftlet.jobs WHERE id = $1 AND worker IS NULL RETURNING *)
            INSERT INTO swiftlet.job_history (
                id, name, state, priority, due, attempts, enqueued_at, started_at, key, scope, tenant, request_id,
                last_error
            )
            SELECT id, name, 'cancelled', priority, due, attempts, enqueued_at, started_at, key, scope, tenant,
                request_id, last_error
            FROM ended RETURNING id
            """,
            [String(id)]
        )
        return !ended.isEmpty
    }
}
