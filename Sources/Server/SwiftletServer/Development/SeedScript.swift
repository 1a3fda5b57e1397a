import SwiftletEssentials
import SwiftletPostgres

/// The rows that a project begins with: `seed.sql`, one transaction.
struct SeedScript {
    private let path: String
    private let text: String

    /// nil if there is no such file.
    init?(_ path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        (self.path, self.text) = (path, text)
    }

    /// Runs it unless it has been run in this database. Returns whether it did. Throws ``CommandFailure``.
    func runOnce(in url: String) throws -> Bool {
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.table)
        guard try connection.query("SELECT 1 FROM swiftlet.seeds").isEmpty else { return false }
        try run(connection)
        return true
    }

    func run(in url: String) throws {
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.table)
        try run(connection)
    }

    private func run(_ connection: borrowing BlockingConnection) throws {
        try connection.execute("BEGIN")
        do throws(BlockingConnectionError) {
            try connection.executeWithinTransaction(text)
            try connection.execute("INSERT INTO swiftlet.seeds DEFAULT VALUES")
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            let line = error.position.map { ":\(text.prefix(max(0, $0 - 1)).count { $0.isNewline } + 1)" } ?? ""
            throw CommandFailure("\(path)\(line): \(error); nothing of it was kept")
        }
    }

    private static let table = """
        CREATE TABLE IF NOT EXISTS swiftlet.seeds (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ran_at timestamptz NOT NULL DEFAULT now()
        )
        """
}
