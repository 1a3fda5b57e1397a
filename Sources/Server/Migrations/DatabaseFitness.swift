package import SwiftletPostgres

/// Whether a database is one that Swiftlet's tables can be created in.
package enum DatabaseFitness {
    /// What is wrong and what to do about it; nil if nothing is.
    ///
    /// Statements name tables without a schema, so PostgreSQL takes them from the first schema of the search path, by
    /// default one that is named like the role if there is one, while the catalog is read for `public`.
    package static func fault(
        on connection: borrowing BlockingConnection
    ) throws(BlockingConnectionError) -> String? {
        let text = """
            SELECT current_schema(), quote_ident(current_user), current_setting('server_encoding'),
                current_setting('server_version_num'),
                (SELECT source FROM pg_settings WHERE name = 'search_path')
            """
        guard let row = try connection.query(text).first, row.count == 5 else { return nil }
        if let fault = row[3].flatMap({ Int($0) }).flatMap(versionFault) { return fault }
        let role = row[1] ?? ""
        guard row[0] == "public" else {
            let first = row[0].map { "The search path of \(role) starts with the schema \($0)" }
            // What the connection asks for counts more than what the role has.
            let isAskedFor = row[4] == "client"
            return """
                \(first ?? "The search path of \(role) names no schema that exists"), but the tables belong to public: \
                \(isAskedFor ? "leave search_path out of the options of DATABASE_URL" : "ALTER ROLE \(role) SET search_path = public")
                """
        }
        // SQL_ASCII converts nothing.
        guard let encoding = row[2], ["UTF8", "SQL_ASCII"].contains(encoding) else {
            return """
                The database has the encoding \(row[2] ?? "unknown"), which cannot hold every text: \
                CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'
                """
        }
        return try schemaFault(on: connection, role)
    }

    private static let leastMajor = 13

    /// `number` as `server_version_num` has it: 150018.
    static func versionFault(_ number: Int) -> String? {
        let major = number / 10_000
        guard major < leastMajor else { return nil }
        return """
            The server is PostgreSQL \(major), and \(leastMajor) or newer is needed: move the database to a newer server \
            with pg_dump and pg_restore
            """
    }

    private static func schemaFault(
        on connection: borrowing BlockingConnection,
        _ role: String
    ) throws(BlockingConnectionError) -> String? {
        let text = """
            SELECT coalesce(
                (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = 'swiftlet'),
                has_database_privilege(current_database(), 'CREATE')
            )
            """
        guard try connection.query(text) == [["f"]] else { return nil }
        return """
            The server keeps its tables in the schema swiftlet, where \(role) may make none. As an administrator: \
            CREATE SCHEMA IF NOT EXISTS swiftlet AUTHORIZATION \(role)
            """
    }
}
