import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// What `swiftlet migrate new NAME --scope …` writes.
@Suite(.needsDatabase, .hangLimit)
struct ScopedTableTests {
    private static let first = "11111111-1111-4111-8111-111111111111"
    private static let second = "22222222-2222-4222-8222-222222222222"

    @Test(arguments: ScopedTable.Scope.allCases)
    func `can be applied as it is, and keeps rows apart`(scope: ScopedTable.Scope) throws {
        let database = try Self.database(with: "sleep_logs", scope)
        let column = "\(scope.rawValue)_id"
        for id in [Self.first, Self.second] {
            try database.execute("INSERT INTO sleep_logs (\(column), title) VALUES ('\(id)', 'of \(id.prefix(1))')")
        }
        try database.become("authenticated", Self.claims(Self.first, scope))
        #expect(try database.query("SELECT title FROM sleep_logs") == [["of 1"]])
        #expect(try database.query("UPDATE sleep_logs SET notes = 'x' RETURNING title") == [["of 1"]])
        #expect(try database.query("DELETE FROM sleep_logs WHERE title = 'of 2' RETURNING 1") == [])
        let stamps = try database.query("SELECT updated_at > created_at FROM sleep_logs")
        #expect(stamps == [["t"]])
        for text in [
            "INSERT INTO sleep_logs (\(column), title) VALUES ('\(Self.second)', 'planted')",
            "UPDATE sleep_logs SET \(column) = '\(Self.second)'",
        ] {
            #expect(try database.refuses(text), "\(text)")
        }
        try database.become("authenticated", "{}")
        #expect(try database.query("SELECT title FROM sleep_logs") == [])
        try database.become("anon", "{}")
        #expect(try database.refuses("SELECT title FROM sleep_logs"))
        try database.execute("RESET ROLE")
        #expect(try database.query("SELECT count(*) FROM sleep_logs WHERE notes IS NULL") == [["1"]])
    }

    @Test(arguments: ScopedTable.Scope.allCases)
    func `has indexes for whose a row is, and for the newest of them`(scope: ScopedTable.Scope) throws {
        let database = try Self.database(with: "order", scope)
        try database.execute("SET enable_seqscan = off; SET enable_sort = off")
        let explanation = """
            EXPLAIN SELECT * FROM "order" WHERE \(scope.rawValue)_id = '\(Self.first)' ORDER BY occurred_at DESC LIMIT 5
            """
        let plan = try database.query(explanation).compactMap { $0[0] }.joined(separator: "\n")
        #expect(plan.contains("order_\(scope.rawValue)_id_time"))
    }

    @Test(arguments: ["1st", "a_name_that_leaves_no_room_for_those_of_its_indexes"])
    func `refuses what no table can be called`(name: String) throws {
        let folder = try TemporaryFolder([:])
        #expect(throws: MigrationError.badTableName(name)) { try folder.migrations.create(name, scope: .user) }
        #expect(try folder.migrations.load().isEmpty)
    }

    /// A new database with all migrations and the one of the table, and two devices.
    private static func database(with name: String, _ scope: ScopedTable.Scope) throws -> BlockingConnection {
        let url = try TestDatabase.create()
        let folder = try TemporaryFolder([:])
        _ = try folder.migrations.create(name, scope: scope)
        try Migrator(url: url, files: TestDatabase.files() + folder.migrations.load()).apply()
        let connection = try BlockingConnection.connect(to: url)
        try connection.makeDevices([first, second])
        return connection
    }

    private static func claims(_ id: String, _ scope: ScopedTable.Scope) -> String {
        scope == .tenant ? #"{"sub":"u","app_metadata":{"tenant_id":"\#(id)"}}"# : #"{"sub":"\#(id)"}"#
    }
}
