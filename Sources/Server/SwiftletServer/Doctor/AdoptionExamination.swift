import SwiftletPostgres

/// Checks the tables that an app found and took as they are: their policies and rights are those of whoever made them.
enum AdoptionExamination {
    static func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        guard try connection.query("SELECT to_regclass('swiftlet.adopted_tables') IS NOT NULL") == [["t"]] else {
            return []
        }
        let rows = try connection.query(
            """
            SELECT taken.name, taken.owner, c.oid IS NOT NULL, c.relrowsecurity,
                (SELECT string_agg(r.rolname, ' and ' ORDER BY r.rolname) FROM pg_roles AS r
                 WHERE r.rolname IN ('anon', 'authenticated') AND c.oid IS NOT NULL
                    AND has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE'))
            FROM swiftlet.adopted_tables AS taken LEFT JOIN pg_class AS c ON c.oid = to_regclass(taken.name)
            ORDER BY taken.name
            """
        )
        return rows.map { row in
            finding(row[0] ?? "", app: row[1] ?? "", exists: row[2] == "t", isGuarded: row[3] == "t", open: row[4])
        }
    }

    private static func finding(
        _ table: String,
        app: String,
        exists: Bool,
        isGuarded: Bool,
        open: String?
    ) -> Finding {
        let subject = "table \(table)"
        guard exists else {
            return .fault(
                subject,
                "the app \(app) took it as it was, and it is gone: restore it, or leave \(app) out (APPS)"
            )
        }
        if !isGuarded, let open {
            return .note(
                subject,
                """
                the app \(app) took it as it was: it has no row security, and \(open) may use all its rows through \
                /rest/v1. Nothing was changed: ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY, with policies, or REVOKE
                """
            )
        }
        return .good(subject, "the app \(app) took it as it was, with the policies and rights of whoever made it")
    }
}
