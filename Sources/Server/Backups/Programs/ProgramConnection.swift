import SwiftletPostgres

/// How a program of PostgreSQL is told where the database is. Passwords go by its environment: everybody sees a command
/// line.
package struct ProgramConnection: Sendable {
    /// The value of `--dbname`.
    package let text: String
    package let environment: [String: String]

    /// Throws ``BackupError/refused(_:)`` for a URL that libpq does not understand.
    package init(_ url: String) throws(BackupError) {
        guard let info = ConnectionInfo(url) else { throw .refused("DATABASE_URL is not a libpq URI") }
        var environment = PostgresProgram.environment()
        if let password = info["password"] { environment["PGPASSWORD"] = password }
        environment["PGCONNECT_TIMEOUT"] = environment["PGCONNECT_TIMEOUT"] ?? "10"
        guard info["sslpassword"] == nil else {
            throw .refused("DATABASE_URL has an sslpassword, which pg_dump can be told on its command line only")
        }
        self.environment = environment
        text = info.pairs.filter { $0.keyword != "password" }.map { keyword, value in
            let quoted = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "\(keyword)='\(quoted)'"
        }.joined(separator: " ")
    }
}
