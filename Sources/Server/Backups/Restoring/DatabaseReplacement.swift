package import SwiftletEssentials
import SwiftletPostgres

/// Puts an empty database in the place of one that is filled, which keeps its rows under another name.
package struct DatabaseReplacement {
    private let maintenanceURL: String
    private let name: String
    /// That of the one that was there.
    package let formerName: String

    /// Renames the database of the URL and makes an empty one of its name, encoding and collation. Throws
    /// ``BackupError/refused(_:)`` while others use it or the role may not do that; then nothing has changed.
    package static func make(_ url: String, now: Date = Date()) throws -> DatabaseReplacement {
        guard let info = ConnectionInfo(url) else { throw BackupError.refused("DATABASE_URL is not a libpq URI") }
        let connection = try BlockingConnection.connect(to: url)
        let row =
            try connection.query(
                """
                SELECT datname, pg_encoding_to_char(encoding), datcollate, datctype, rolcreatedb OR rolsuper
                FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user
                """
            ).first ?? []
        let cells = row.map { $0 ?? "" }
        guard cells.count == 5 else { throw BackupError.refused("the database is not known to its server") }
        guard cells[4] == "t" else {
            throw BackupError.refused("--replace needs a role that may make databases: ALTER ROLE … CREATEDB")
        }
        let others = try connection.query(
            """
            SELECT DISTINCT coalesce(nullif(application_name, ''), usename, backend_type) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        ).compactMap { $0[0] }
        guard others.isEmpty else {
            throw BackupError.refused(
                "the database is in use (\(others.joined(separator: ", "))): stop the servers and shells first"
            )
        }
        _ = consume connection
        let stamp = now.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: false).dateSeparator(.omitted).timeSeparator(
                .omitted
            )
        )
        let former = "\(cells[0].prefix(40))_before_\(stamp.lowercased())"
        let pairs = info.pairs.filter { $0.keyword != "dbname" } + [("dbname", "postgres")]
        let maintenance = pairs.map { keyword, value in
            "\(keyword)='\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }.joined(separator: " ")
        let replacement = DatabaseReplacement(maintenanceURL: maintenance, name: cells[0], formerName: former)
        let administrator = try BlockingConnection.connect(to: maintenance)
        try administrator.execute("ALTER DATABASE \(cells[0].quotedIdentifier) RENAME TO \(former.quotedIdentifier)")
        do {
            func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
            try administrator.execute(
                """
                CREATE DATABASE \(cells[0].quotedIdentifier) TEMPLATE template0 ENCODING \(literal(cells[1]))
                    LC_COLLATE \(literal(cells[2])) LC_CTYPE \(literal(cells[3]))
                """
            )
        } catch {
            try? administrator.execute(
                "ALTER DATABASE \(former.quotedIdentifier) RENAME TO \(cells[0].quotedIdentifier)"
            )
            throw error
        }
        return replacement
    }

    /// Puts back what was there.
    package func undo() throws {
        let administrator = try BlockingConnection.connect(to: maintenanceURL)
        try administrator.execute("DROP DATABASE \(name.quotedIdentifier) WITH (FORCE)")
        try administrator.execute("ALTER DATABASE \(formerName.quotedIdentifier) RENAME TO \(name.quotedIdentifier)")
    }
}
