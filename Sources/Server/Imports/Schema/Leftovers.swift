/// What neither the dump of the schema nor the rows say: where sequences are, and which views have rows of their own.
struct Leftovers {
    let project: ProjectDatabase

    /// Sequences have no snapshot: what they say now is at least what the rows have.
    func sequences() throws -> [String] {
        let names = try project.rows(
            """
            SELECT format('%I.%I', n.nspname, c.relname), quote_literal(format('%I.%I', n.nspname, c.relname))
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'S' AND n.oid IN \(ProjectSchemas.app) AND \(ProjectSchemas.isOwn("pg_class", "c"))
            """
        )
        return try names.map { row in
            let state = try project.rows("SELECT last_value, is_called FROM \(row[0])").first ?? ["1", "f"]
            return "SELECT setval(\(row[1])::regclass, \(state[0]), \(state[1] == "t"))"
        }
    }

    /// In the order in which they were made, so that one that reads another comes behind it.
    func materializedViews(excluded: Set<String>) throws -> [String] {
        try project.rows(
            """
            SELECT 'pg_catalog.pg_class'::regclass::oid || ' ' || c.oid,
                format('REFRESH MATERIALIZED VIEW %I.%I', n.nspname, c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'm' AND c.relispopulated AND n.oid IN \(ProjectSchemas.app) ORDER BY c.oid
            """
        ).filter { !excluded.contains($0[0]) }.map { $0[1] }
    }
}
