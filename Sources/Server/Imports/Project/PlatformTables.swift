import SwiftletPostgres

/// Tables that a project has and Swiftlet has too: accounts, sessions, buckets. Only columns of both sides are copied.
struct PlatformTables {
    /// In the order of their foreign keys.
    static let accounts = [
        "users", "identities", "sessions", "mfa_factors", "mfa_amr_claims", "refresh_tokens", "one_time_tokens",
        "audit_log_entries",
    ]

    let tables: [ProjectTable]
    /// "auth.users.name": columns with values that there is no place for here.
    let unknownColumns: [String]

    /// `target` has the platform's tables already.
    init(
        _ names: [String],
        schema: String,
        _ project: ProjectDatabase,
        _ target: borrowing BlockingConnection
    ) throws {
        var tables: [ProjectTable] = []
        var unknown: [String] = []
        for name in names {
            let table = "\(schema).\(name)"
            let there = try Self.columns(table, project.connection)
            let here = try Self.columns(table, target)
            guard !there.isEmpty, !here.isEmpty else { continue }
            var found = ProjectTable(
                name: table,
                columns: here.filter { there[$0.key] != nil && !$0.value.isGenerated }.keys.sorted()
            )
            found.uncompared = Set(found.columns.filter { there[$0]?.type != here[$0]?.type })
            // Before 2023 the provider's id was the key itself.
            if table == "auth.identities", there["provider_id"] == nil {
                var columns = found.columns.filter { $0 != "id" }
                columns.append("provider_id")
                found = ProjectTable(
                    name: table,
                    columns: columns,
                    expressions: ["provider_id": "id"],
                    uncompared: found.uncompared
                )
            }
            for (column, info) in there.sorted(by: { $0.key < $1.key }) where here[column] == nil && !info.isGenerated {
                let isUsed = try project.texts("SELECT 1 FROM \(table) WHERE \(column) IS NOT NULL LIMIT 1")
                if !isUsed.isEmpty { unknown.append("\(table).\(column)") }
            }
            tables.append(found)
        }
        (self.tables, unknownColumns) = (tables, unknown)
    }

    private struct Column {
        let type: String
        let isGenerated: Bool
    }

    /// By their names in quotes. Empty if there is no such table.
    private static func columns(
        _ table: String,
        _ connection: borrowing BlockingConnection
    ) throws -> [String: Column] {
        let rows = try connection.query(
            """
            SELECT quote_ident(attname), format_type(atttypid, NULL), attgenerated <> '' FROM pg_attribute
            WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
            """,
            [table]
        )
        return rows.reduce(into: [:]) { columns, row in
            columns[row[0] ?? ""] = Column(type: row[1] ?? "", isGenerated: row[2] == "t")
        }
    }
}
