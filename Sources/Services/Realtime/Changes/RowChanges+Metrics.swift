import SwiftletPostgres

extension RowChanges {
    /// Prometheus text format 0.0.4. What the database knows is left out while it is down, and where nothing is published.
    package func metricsText() async -> String {
        let counts = hub.counts
        var text = Self.metric("subscribers", "gauge", "Receivers of changes on this server.", counts.subscribers)
        text += Self.metric("claim_sets", "gauge", "Distinct roles and claims among them.", hub.claimSetCount)
        text += Self.metric(
            "changes_told_total",
            "counter",
            "Changes that were told to a receiver that keeps up.",
            counts.delivered
        )
        text += Self.metric(
            "resets_total",
            "counter",
            "Times that receivers had to read their rows anew.",
            counts.resets
        )
        let policies = hub.policyCounts
        text += Self.metric(
            "rows_decided_total",
            "counter",
            "Rows whose simple policies needed no query.",
            policies.decided
        )
        text += Self.metric(
            "rows_asked_total",
            "counter",
            "Rows whose policies PostgreSQL was asked about.",
            policies.asked
        )
        text += Self.metric(
            "reading",
            "gauge",
            "1 on the server that reads the changes.",
            condition == .reading ? 1 : 0
        )
        guard let rows = try? await database.query(Self.census, .none), rows.count == 1 else { return text }
        let gauges = [
            ("slot_wal_bytes", "Write-ahead log that PostgreSQL keeps for the slot."),
            ("slot_lag_bytes", "Write-ahead log that is not in the log of changes yet."),
            ("slot_lost", "1 when PostgreSQL has dropped log that the slot needed."),
            ("log_seconds", "How far back the log of changes reaches."),
        ]
        for (column, (name, help)) in gauges.enumerated() {
            guard let value = rows.text(0, column).flatMap({ Int($0) }) else { continue }
            text += Self.metric(name, "gauge", help, value)
        }
        return text
    }

    private static func metric(_ name: String, _ type: String, _ help: String, _ value: Int) -> String {
        """
        # HELP swiftlet_realtime_\(name) \(help)
        # TYPE swiftlet_realtime_\(name) \(type)
        swiftlet_realtime_\(name) \(value)

        """
    }

    private static let census = Statement(
        """
        SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint,
            pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::bigint,
            (wal_status = 'lost')::integer,
            (SELECT extract(epoch FROM clock_timestamp() - committed_at)::bigint FROM swiftlet.changes
                ORDER BY lsn, index LIMIT 1)
        FROM pg_catalog.pg_replication_slots
        WHERE slot_name = 'swiftlet_realtime_' || (SELECT oid FROM pg_database WHERE datname = current_database())
        """,
        isReadOnly: true
    )
}
