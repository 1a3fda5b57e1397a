import SwiftletPostgres

/// A foreign key of an app's table to the id of accounts, in `auth.users` or `public.users`.
struct AccountReference: Sendable {
    /// Both quoted as SQL needs it.
    let table: String
    let column: String
    private let type: String
    /// What becomes of a row whose account is deleted.
    let ending: Ending

    enum Ending: String, Sendable {
        case cascade = "c"
        case setNull = "n"
        case setDefault = "d"
        case forbid = "r"

        /// What is said of rows that cannot move.
        var words: String {
            switch self {
            case .cascade: "are deleted"
            case .setNull, .setDefault: "lose the account"
            case .forbid: "keep the account from being deleted"
            }
        }
    }

    /// Those of all schemas but sign-in's own. Throws ``CommandFailure`` for a key of several columns.
    static func all(to target: String, _ tables: UserTables) throws -> [AccountReference] {
        let rows = try tables.query(
            """
            SELECT c.conrelid::regclass::text, quote_ident(a.attname), c.confdeltype, cardinality(c.conkey),
                format_type(a.atttypid, a.atttypmod)
            FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid
                JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
                JOIN pg_attribute AS k ON k.attrelid = c.confrelid AND k.attnum = c.confkey[1]
            WHERE c.contype = 'f' AND c.confrelid = $1::regclass AND c.conparentid = 0
                AND (k.attname = 'id' OR cardinality(c.conkey) > 1)
                AND t.relnamespace <> 'auth'::regnamespace
                -- The row of the account itself; others in that table may name it too, as their manager.
                AND (t.oid IS DISTINCT FROM to_regclass('public.users') OR a.attname <> 'id')
            ORDER BY 1, 2
            """,
            [target]
        )
        return try rows.map { row in
            let table = row[0] ?? ""
            guard row[3] == "1" else {
                throw CommandFailure("\(table) has a foreign key of several columns to \(target): move its rows first")
            }
            return AccountReference(
                table: table,
                column: row[1] ?? "",
                type: row[4] ?? "text",
                ending: Ending(rawValue: row[2] ?? "") ?? .forbid
            )
        }
    }

    /// Moves the rows from one account to the other; returns how many a unique key keeps from it.
    func move(_ from: String, _ into: String, _ tables: UserTables, _ report: inout MergeReport) throws -> Int {
        let update = "UPDATE \(table) SET \(column) = $2::text::\(type) WHERE \(column)::text = $1"
        do {
            let moved = try tables.inSavepoint {
                try tables.query("WITH moved AS (\(update) RETURNING 1) SELECT count(*) FROM moved", [from, into])
            }
            report.add("\(table).\(column)", moved)
            return 0
        } catch let error as BlockingConnectionError where Self.isInTheWay(error) {
            return try moveEach(update, from, into, tables, &report)
        }
    }

    private func moveEach(
        _ update: String,
        _ from: String,
        _ into: String,
        _ tables: UserTables,
        _ report: inout MergeReport
    ) throws -> Int {
        var (moved, left) = (0, 0)
        let rows = try tables.query("SELECT tableoid, ctid FROM \(table) WHERE \(column)::text = $1", [from])
        for row in rows {
            do {
                try tables.inSavepoint {
                    try tables.query(
                        update + " AND tableoid = $3::oid AND ctid = $4::tid",
                        [from, into, row[0], row[1]]
                    )
                }
                moved += 1
            } catch let error as BlockingConnectionError where Self.isInTheWay(error) {
                left += 1
            }
        }
        report.add("\(table).\(column)", moved)
        return left
    }

    private static func isInTheWay(_ error: BlockingConnectionError) -> Bool {
        [SQLState.uniqueViolation, .exclusionViolation].contains { $0.rawValue == error.state }
    }
}
