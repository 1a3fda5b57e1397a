import SwiftletAuth
package import SwiftletPostgres

/// Webhooks as an operator sees and changes them.
package struct WebhookDirectory: ~Copyable {
    private let connection: BlockingConnection

    package init(_ url: String) throws(BlockingConnectionError) { connection = try BlockingConnection.connect(to: url) }

    package static let header = ["ID", "URL", "TABLES", "EVENTS", "TENANT", "STATE"]
    package static let operations = ["insert", "update", "delete"]

    /// Cells for ``header``.
    package func list() throws(BlockingConnectionError) -> [[String]] {
        try connection.query(
            """
            SELECT w.id, w.url, coalesce((
                    SELECT string_agg(t.tgrelid::regclass::text, ', ' ORDER BY t.tgrelid::regclass::text)
                    FROM pg_trigger AS t
                    WHERE t.tgname = 'swiftlet_webhook_' || w.id AND t.tgparentid = 0
                ), '-'), coalesce(nullif(array_to_string(w.events, ', '), ''), '-'), coalesce(w.tenant, '-'),
                CASE
                    WHEN paused_at IS NOT NULL THEN 'paused: ' || coalesce(pause_reason, 'by hand')
                    WHEN failing_since IS NOT NULL
                    THEN 'fails since ' || to_char(failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
                    ELSE 'active'
                END
            FROM swiftlet.webhooks AS w ORDER BY w.id
            """
        ).map { $0.map { $0 ?? "-" } }
    }

    /// Makes an endpoint, and a trigger on each of the tables; nil stands for a table that is not there, is
    /// Swiftlet's own, or has no `tenant_id` where a tenant's rows are asked for. Nothing waits longer than five seconds for others who use a
    /// table.
    package func add(_ new: NewWebhook) throws(BlockingConnectionError) -> Int? {
        var script = ""
        let names = try new.tables.map { table throws(BlockingConnectionError) in
            try resolve(table, hasTenant: new.tenant != nil)
        }
        guard
            let id = try connection.query("SELECT nextval(pg_get_serial_sequence('swiftlet.webhooks', 'id'))")
                .first?[0].flatMap({ Int($0) }), !names.contains(nil)
        else { return nil }
        for name in names.compactMap(\.self) {
            script += """
                CREATE TRIGGER swiftlet_webhook_\(id) AFTER \(new.operations.joined(separator: " OR ").uppercased())
                ON \(name) FOR EACH ROW EXECUTE FUNCTION swiftlet.tell_webhook('\(id)');
                """
        }
        try connection.execute("BEGIN; SET LOCAL lock_timeout = '5s'")
        do {
            _ = try connection.query(
                """
                INSERT INTO swiftlet.webhooks (id, url, secret, events, tenant)
                VALUES ($1, $2, $3, string_to_array($4, chr(10)), $5)
                """,
                [String(id), new.url, new.secret, new.events.joined(separator: "\n"), new.tenant]
            )
            try connection.execute(script + "COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
        return id
    }

    /// Removes an endpoint with its triggers and its log. False if there is none.
    package func remove(_ id: Int) throws(BlockingConnectionError) -> Bool {
        let tables = try connection.query(
            """
            SELECT tgrelid::regclass FROM pg_trigger
            WHERE tgname = 'swiftlet_webhook_' || $1::bigint AND tgparentid = 0
            """,
            [String(id)]
        ).compactMap { $0[0] }
        guard
            try !connection.query("SELECT FROM swiftlet.webhooks WHERE id = $1", [String(id)]).isEmpty
                || !tables.isEmpty
        else { return false }
        let triggers = tables.map { "DROP TRIGGER swiftlet_webhook_\(id) ON \($0);" }.joined()
        try connection.execute(
            """
            BEGIN; SET LOCAL lock_timeout = '5s'; \(triggers)
            DELETE FROM swiftlet.webhooks WHERE id = \(id);
            DELETE FROM swiftlet.webhook_deliveries WHERE webhook = \(id);
            COMMIT
            """
        )
        return true
    }

    /// Signs with another secret, and with the present one too for a day if that is kept. False if there is no endpoint.
    package func rotate(_ id: Int, to secret: String, keepsFormer: Bool) throws(BlockingConnectionError) -> Bool {
        try !connection.query(
            """
            UPDATE swiftlet.webhooks
            SET secret = $2, former_secret = CASE WHEN $3::boolean THEN secret END,
                former_secret_expires_at = CASE WHEN $3::boolean THEN clock_timestamp() + interval '1 day' END
            WHERE id = $1 RETURNING id
            """,
            [String(id), secret, String(keepsFormer)]
        ).isEmpty
    }

    /// False if there is none.
    package func pause(_ id: Int) throws(BlockingConnectionError) -> Bool {
        try !connection.query(
            """
            UPDATE swiftlet.webhooks
            SET paused_at = coalesce(paused_at, clock_timestamp()), pause_reason = coalesce(pause_reason, 'by hand')
            WHERE id = $1 RETURNING id
            """,
            [String(id)]
        ).isEmpty
    }

    /// Takes up an endpoint, with what was held back; how many deliveries that are. nil if there is no endpoint.
    package func resume(_ id: Int) throws(BlockingConnectionError) -> Int? {
        let found = try connection.query(
            """
            UPDATE swiftlet.webhooks
            SET paused_at = NULL, pause_reason = NULL, failures = 0, failing_since = NULL, retry_at = NULL
            WHERE id = $1 RETURNING id
            """,
            [String(id)]
        )
        guard !found.isEmpty else { return nil }
        return try deliver("webhook = $1 AND state = 'held'", [String(id)])
    }

    // MARK: The log

    package static let logHeader = ["ID", "WEBHOOK", "STATE", "EVENT", "CREATED", "ATTEMPTS", "STATUS", "ERROR"]
    package static let states = ["waiting", "held", "delivered", "failed"]

    /// The newest first, cells for ``logHeader``. nil stands for any.
    package func log(webhook: Int?, state: String?, limit: Int) throws(BlockingConnectionError) -> [[String]] {
        try connection.query(
            """
            SELECT id, webhook, state, event, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), attempts,
                coalesce(status::text, '-'), coalesce(error, '-')
            FROM swiftlet.webhook_deliveries
            WHERE ($1::bigint IS NULL OR webhook = $1) AND ($2::text IS NULL OR state = $2)
            ORDER BY id DESC LIMIT $3
            """,
            [webhook.map { String($0) }, state, String(limit)]
        ).map { $0.map { $0 ?? "-" } }
    }

    /// All that is kept of a delivery, by name; nil if it is unknown.
    package func show(_ id: Int) throws(BlockingConnectionError) -> [(name: String, value: String)]? {
        let names = [
            "id", "webhook", "message", "event", "state", "attempts", "created_at", "attempted_at", "finished_at",
            "status", "milliseconds", "error", "answer", "body",
        ]
        let rows = try connection.query(
            "SELECT \(names.joined(separator: ", ")) FROM swiftlet.webhook_deliveries WHERE id = $1",
            [String(id)]
        )
        return rows.first.map { row in zip(names, row).map { ($0, $1 ?? "-") } }
    }

    /// Delivers a message again, whatever came of it; false if it is unknown.
    package func replay(_ id: Int) throws(BlockingConnectionError) -> Bool {
        try deliver("id = $1", [String(id)]) > 0
    }

    /// Delivers what has failed; how many. nil stands for all endpoints.
    package func replayFailed(of webhook: Int?) throws(BlockingConnectionError) -> Int {
        try deliver("state = 'failed' AND ($1::bigint IS NULL OR webhook = $1)", [webhook.map { String($0) }])
    }

    /// With the same message id, and with all attempts before it. What is told to a paused endpoint is held back.
    private func deliver(_ condition: String, _ parameters: [String?]) throws(BlockingConnectionError) -> Int {
        let count = try connection.query(
            """
            WITH again AS (
                UPDATE swiftlet.webhook_deliveries
                SET state = 'waiting', turn = turn + 1, attempts = 0, finished_at = NULL
                WHERE \(condition) RETURNING id, turn
            )
            INSERT INTO swiftlet.jobs (name, payload)
            SELECT 'swiftlet-webhook', json_build_object('delivery', id, 'turn', turn)::text FROM again RETURNING id
            """,
            parameters
        ).count
        try connection.execute("NOTIFY swiftlet_jobs")
        return count
    }

    /// nil also for tables of Swiftlet's own: each delivery changes some of them, and one holds the secrets.
    private func resolve(_ table: String, hasTenant: Bool) throws(BlockingConnectionError) -> String? {
        try connection.query(
            """
            SELECT quote_ident(schema_.nspname) || '.' || quote_ident(table_.relname) FROM pg_class AS table_
            JOIN pg_namespace AS schema_ ON schema_.oid = table_.relnamespace
            WHERE table_.oid = to_regclass($1) AND table_.relkind IN ('r', 'p') AND schema_.nspname <> 'swiftlet'
                AND (NOT $2::boolean OR EXISTS (
                    SELECT FROM pg_attribute WHERE attrelid = table_.oid AND attname = 'tenant_id' AND attnum > 0
                ))
            """,
            [table, String(hasTenant)]
        ).first.flatMap { $0[0] }
    }
}
