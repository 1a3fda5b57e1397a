import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `migrate up --dry-run`: files are tried, and nothing stays.
@Suite(.needsDatabase, .hangLimit)
struct RehearsalTests {
    private let url: String

    init() throws { url = try TestDatabase.createEmpty() }

    private func isThere(_ table: String) throws -> Bool {
        try BlockingConnection.connect(to: url).query("SELECT to_regclass($1) IS NOT NULL", [table]) == [["t"]]
    }

    private func file(_ name: String, _ text: String) throws -> MigrationFile {
        try MigrationFile(fileName: "\(name).sql", text: text)
    }

    @Test func `files that build on each other are tried, and nothing stays`() throws {
        let migrator = Migrator(
            url: url,
            files: [
                try file("0001_make", "CREATE TABLE things (name text); SET search_path = ''"),
                try file("0002_fill", "INSERT INTO things VALUES ('$script$'); DO $$ BEGIN PERFORM 1; END $$"),
            ]
        )
        for _ in 0..<2 {
            #expect(try migrator.rehearse() == ["0001_make", "0002_fill"])
            #expect(try !isThere("things"))
            #expect(try !isThere("swiftlet.migrations"))
        }
        #expect(try migrator.apply() == ["0001_make", "0002_fill"])
        #expect(try migrator.rehearse() == [])
    }

    @Test func `what a file defers is checked before the next one`() throws {
        let text = """
            CREATE TABLE p (id integer PRIMARY KEY);
            CREATE TABLE c (id integer REFERENCES p DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO c VALUES (1); INSERT INTO p VALUES (1)
            """
        let next = "ALTER TABLE c ADD COLUMN n integer; INSERT INTO c VALUES (2); INSERT INTO p VALUES (2)"
        let files = [try file("0001_keys", text), try file("0002_next", next)]
        #expect(try Migrator(url: url, files: files).rehearse() == ["0001_keys", "0002_next"])
    }

    @Test func `the server's own files and those of all apps can be tried`() throws {
        let files = try TestDatabase.files()
        #expect(try Migrator(url: url, files: files).rehearse() == files.map(\.name))
        #expect(try !isThere("swiftlet.migrations"))
        try Migrator(url: url, files: files).apply()
        let more = try file("0099_more", "ALTER TABLE swiftlet.jobs ADD COLUMN more text")
        #expect(try Migrator(url: url, files: files + [more]).rehearse() == ["0099_more"])
    }

    @Test(arguments: [
        ("CREATE TABLE x (id integer);\n\nINSERT INTO y VALUES (1)", 3, "42P01"), ("SELECT 1;\nSELEC 2", 2, "42601"),
        ("DO $$ BEGIN\nPERFORM 1 / 0; END $$", nil, "22012"),
        (
            """
            CREATE TABLE p (id integer PRIMARY KEY);
            CREATE TABLE c (id integer REFERENCES p DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO c VALUES (1)
            """, nil, "23503"
        ),
    ])
    func `a failure names the file and the line`(text: String, line: Int?, state: String) throws {
        let files = [try file("0001_good", "CREATE TABLE good (id integer)"), try file("0002_bad", text)]
        #expect {
            _ = try Migrator(url: url, files: files).rehearse()
        } throws: {
            guard case .failed("0002_bad", let place, let error) = $0 as? MigrationError else { return false }
            return place == line && error.state == state
        }
        #expect(try !isThere("good"))
    }

    @Test(arguments: ["COMMIT", "ROLLBACK; BEGIN", "COMMIT AND CHAIN", "END", "PREPARE TRANSACTION 'x'"])
    func `a file cannot end the transaction that it is tried in`(words: String) throws {
        let files = [try file("0001_own", "CREATE TABLE own (id integer); \(words); SELECT 1")]
        #expect(throws: MigrationError.self) { try Migrator(url: url, files: files).rehearse() }
        #expect(try !isThere("own"))
    }

    @Test func `what was edited after it was applied is refused`() throws {
        try Migrator(url: url, files: [file("0001_first", "SELECT 1")]).apply()
        let files = [try file("0001_first", "SELECT 2"), try file("0002_second", "SELECT 1")]
        #expect(throws: MigrationError.edited(["0001_first"])) { try Migrator(url: url, files: files).rehearse() }
    }
}
