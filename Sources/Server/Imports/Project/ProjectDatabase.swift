import SwiftletBackups
import SwiftletPostgres

/// The database of a Supabase project, read in one snapshot and never written.
final class ProjectDatabase {
    let connection: BlockingConnection
    /// What `SET TRANSACTION SNAPSHOT` and `pg_dump --snapshot` take, while the connection lives.
    let snapshot: String
    let major: Int
    /// Tells this database from others.
    let fingerprint: String
    let program: ProgramConnection

    /// Times and numbers as text are the same on both sides, and rows that a policy hides are an error.
    static let settings = """
        SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; SET timezone = 'UTC'; SET bytea_output = 'hex';
        SET extra_float_digits = 3; SET client_encoding = 'UTF8'; SET standard_conforming_strings = on;
        SET search_path = ''; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
        SET row_security = off; SET check_function_bodies = off;
        """

    private static let transactionPoolerPort = "6543"

    /// Throws ``ImportError/refused(_:)`` for a URL that cannot work, and `BlockingConnectionError`.
    init(_ url: String) throws {
        guard let info = ConnectionInfo(url) else {
            throw ImportError.refused(
                "--from is no URL of a database: postgresql://postgres:password@db.ref.supabase.co:5432/postgres"
            )
        }
        guard info["port"] != Self.transactionPoolerPort else {
            throw ImportError.refused(
                "--from is a transaction pooler (port 6543), which holds no snapshot: take the direct connection or the session pooler, port 5432"
            )
        }
        program = try ProgramConnection(url)
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.settings)
        try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        snapshot = try Self.value("pg_export_snapshot()", connection)
        major = try Int(Self.value("current_setting('server_version_num')::integer / 10000", connection)) ?? 0
        // Who may not ask for the number of the cluster is told by where the database is.
        let mayAsk = try Self.value("has_function_privilege('pg_control_system()', 'EXECUTE')", connection) == "t"
        let system =
            try mayAsk
            ? Self.value("system_identifier FROM pg_control_system()", connection) : info.hosts.joined(separator: ",")
        let database = try Self.value(
            "oid || '/' || datname FROM pg_database WHERE datname = current_database()",
            connection
        )
        fingerprint = "\(system)/\(database)"
        self.connection = connection
    }

    private static func value(_ expression: String, _ connection: borrowing BlockingConnection) throws -> String {
        try connection.query("SELECT \(expression)").first?[0] ?? ""
    }

    func rows(_ text: String) throws -> [[String]] {
        try connection.query(text).map { row in row.map { $0 ?? "" } }
    }

    func texts(_ text: String) throws -> [String] { try rows(text).compactMap(\.first) }
}
