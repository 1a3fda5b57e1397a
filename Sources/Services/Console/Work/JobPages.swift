import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Jobs: what waits, runs and has ended.
struct JobPages: Sendable {
    let database: ConsoleDatabase
    let announceWork: @Sendable () -> Void

    private static let all: SQL = """
        (SELECT id, CASE WHEN worker IS NULL THEN 'waiting' ELSE 'running' END AS state, name, priority, due, attempts,
            enqueued_at, started_at, NULL::timestamptz AS finished_at, key, tenant, request_id, last_error, payload
        FROM swiftlet.jobs
        UNION ALL
        SELECT id, state, name, priority, due, attempts, enqueued_at, started_at, finished_at, key, tenant, request_id,
            last_error, payload
        FROM swiftlet.job_history)
        """

    func list(_ asked: ConsoleRequest) async throws -> Response {
        let state = asked.request.query["state"] ?? ""
        let name = asked.request.query["name"] ?? ""
        let id = asked.request.query["id"].flatMap { Int($0) } ?? 0
        let origin = asked.request.query["request"] ?? ""
        return try await database.read { transaction in
            .text(
                try await transaction.json(
                    """
                    SELECT json_build_object(
                        'counts', (SELECT coalesce(json_object_agg(state, n), '{}') FROM (
                            SELECT state, count(*) AS n FROM \(Self.all) j
                            WHERE \(name) = '' OR name = \(name) GROUP BY state) c),
                        'names', (SELECT coalesce(json_agg(DISTINCT name), '[]') FROM \(Self.all) j),
                        'ticks', (SELECT coalesce(json_agg(t ORDER BY t.name), '[]') FROM swiftlet.job_ticks t),
                        'jobs', (SELECT coalesce(json_agg(j ORDER BY j.id DESC), '[]') FROM (
                            SELECT * FROM \(Self.all) j
                            WHERE (\(state) = '' OR state = \(state)) AND (\(name) = '' OR name = \(name))
                                AND (\(origin) = '' OR request_id = \(origin))
                            ORDER BY id = \(id) DESC, id DESC LIMIT 50) j))
                    """
                )
            )
        }
    }

    /// `{"action": "retry" | "cancel", "id": …}`, or `{"action": "retry all", "name": …, "expected": …}`: exactly as many
    /// as the operator has been shown.
    func change(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let body = try asked.body()
        let id = body["id"]?.int
        let action = body["action"]?.string ?? ""
        let answer: Response = try await database.write { transaction in
            var count = 0
            let before = try await Self.state(id, transaction)
            switch action {
            case "retry":
                guard let id else { throw ConsoleError.bad("Which job?") }
                count = try await retry(id, name: "", in: transaction)
                count += try await transaction.query(
                    "UPDATE swiftlet.jobs SET due = clock_timestamp() WHERE id = \(id) AND worker IS NULL RETURNING id"
                )
                .count
            case "retry all":
                count = try await retry(nil, name: body["name"]?.string ?? "", in: transaction)
                if let expected = body["expected"]?.int, expected != count {
                    throw ConsoleError(409, "CHANGED", "There are \(count) by now, not \(expected). Look again.")
                }
            case "cancel":
                guard let id else { throw ConsoleError.bad("Which job?") }
                count = try await transaction.query(
                    """
                    WITH ended AS (DELETE FROM swiftlet.jobs WHERE id = \(id) AND worker IS NULL RETURNING *)
                    INSERT INTO swiftlet.job_history (id, name, state, priority, due, attempts, enqueued_at, started_at,
                        key, scope, tenant, request_id, last_error)
                    SELECT id, name, 'cancelled', priority, due, attempts, enqueued_at, started_at, key, scope, tenant,
                        request_id, last_error
                    FROM ended RETURNING id
                    """
                )
                .count
            default: throw ConsoleError.bad("What is to be done?")
            }
            guard count > 0 else { throw ConsoleError(409, "GONE", "It is not in that state any more.") }
            let number = try await OperatorAction(
                action: "\(action) job",
                object: id.map(String.init) ?? body["name"]?.string ?? "",
                before: before,
                after: id == nil ? #"{"jobs":\#(count)}"# : try await Self.state(id, transaction)
            )
            .write(asked, in: transaction)
            return Response.json(["count": .number(JSONNumber(count)), "audit": .number(JSONNumber(number))])
        }
        announceWork()
        return answer
    }

    /// The job without its payload; nil if none is named.
    private static func state(_ id: Int?, _ transaction: Transaction) async throws -> String? {
        guard let id else { return nil }
        let row = try await transaction.json(
            "SELECT to_jsonb(j) - 'payload' FROM \(Self.all) j WHERE id = \(id) LIMIT 1"
        )
        return row == "null" ? nil : row
    }

    private func retry(_ id: Int?, name: String, in transaction: Transaction) async throws -> Int {
        try await transaction.query(
            """
            WITH ended AS (
                DELETE FROM swiftlet.job_history
                WHERE state = 'failed' AND (\(id)::bigint IS NULL OR id = \(id)::bigint)
                    AND (\(name) = '' OR name = \(name))
                RETURNING *
            )
            INSERT INTO swiftlet.jobs (id, name, priority, key, scope, tenant, caller, caller_level, caller_is_external,
                request_id, last_error, payload)
            SELECT id, name, priority, NULL, scope, tenant, caller, caller_level, caller_is_external, request_id,
                last_error, coalesce(payload, '{}')
            FROM ended RETURNING id
            """
        )
        .count
    }
}
