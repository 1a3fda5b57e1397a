import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct MigratorTests {
    private let url: String

    init() throws { url = try TestDatabase.createEmpty() }

    private func query(_ text: String) throws -> [[String?]] { try BlockingConnection.connect(to: url).query(text) }

    private func file(_ name: String, _ text: String) throws -> MigrationFile {
        try MigrationFile(fileName: "\(name).sql", text: text)
    }

    @Test func `applies each file once, in order`() throws {
        let files = [
            try file("0001_make", "CREATE TABLE things (name text); INSERT INTO things VALUES ('one')"),
            try file("0002_fill", "INSERT INTO things SELECT name || '!' FROM things"),
        ]
        #expect(try Migrator(url: url, files: files).apply() == ["0001_make", "0002_fill"])
        #expect(try Migrator(url: url, files: files).apply() == [])
        #expect(try query("SELECT name FROM things ORDER BY name") == [["one"], ["one!"]])
    }

    @Test func `applies files that are named by the time, also behind an older ledger`() throws {
        let first = try file("0001_first", "SELECT 1")
        try Migrator(url: url, files: [first]).apply()
        // As it was before.
        try BlockingConnection.connect(to: url).execute(
            "ALTER TABLE swiftlet.migrations ALTER COLUMN number TYPE integer"
        )
        let files = [first, try file("20240403090422_init", "CREATE TABLE things (name text)")]
        #expect(try Migrator(url: url, files: files).status().map(\.state).last == .pending)
        #expect(try Migrator(url: url, files: files).apply() == ["20240403090422_init"])
        #expect(try Migrator(url: url, files: files).apply() == [])
        #expect(try query("SELECT max(number) FROM swiftlet.migrations") == [["20240403090422"]])
    }

    @Test func `a search path that a file gives the database holds for the next`() throws {
        let files = [
            try file(
                "0001_schema",
                """
                CREATE SCHEMA extensions;
                CREATE FUNCTION extensions.one() RETURNS integer LANGUAGE sql AS 'SELECT 1';
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I SET search_path = public, extensions', current_database());
                END $$
                """
            ), try file("0002_table", "CREATE TABLE things (n integer DEFAULT one())"),
        ]
        #expect(try Migrator(url: url, files: files).apply() == ["0001_schema", "0002_table"])
    }

    @Test func `tells what is applied, pending, edited and missing, without a trace in a fresh database`() throws {
        let first = try file("0001_first", "SELECT 1")
        let second = try file("0002_second", "SELECT 2")
        let migrator = Migrator(url: url, files: [first, second])
        #expect(try migrator.status().map(\.state) == [.pending, .pending])
        #expect(try migrator.pending() == [first, second])
        #expect(try query("SELECT to_regclass('swiftlet.migrations')") == [[nil]])

        try Migrator(url: url, files: [first]).apply()
        let states = try migrator.status()
        #expect(states.map(\.name) == ["0001_first", "0002_second"])
        guard case .applied(let time) = try #require(states.first).state else {
            Issue.record("the first is not applied")
            return
        }
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        #expect(try migrator.pending() == [second])

        let changed = try file("0001_first", "SELECT 10")
        #expect(try Migrator(url: url, files: [changed]).status().map(\.state) == [.edited(time)])
        #expect(try Migrator(url: url, files: [second]).status().map(\.state) == [.missing(time), .pending])
    }

    @Test(arguments: ["0001_first", "0001_renamed"])
    func `refuses by name what was edited after it was applied, and applies nothing`(name: String) throws {
        try Migrator(url: url, files: [file("0001_first", "SELECT 1")]).apply()
        let text = name == "0001_first" ? "SELECT 1 -- changed" : "SELECT 1"
        let files = [try file(name, text), try file("0002_new", "CREATE TABLE never (id integer)")]
        #expect(throws: MigrationError.edited([name])) { try Migrator(url: url, files: files).apply() }
        #expect(try query("SELECT to_regclass('never')") == [[nil]])
    }

    @Test func `applies a file whose number is lower than the last, as a merged branch brings it`() throws {
        let late = try file("0001_late", "CREATE TABLE late (id integer)")
        let early = try file("0002_early", "SELECT 1")
        try Migrator(url: url, files: [early]).apply()
        #expect(try Migrator(url: url, files: [late, early]).apply() == ["0001_late"])
    }

    @Test func `refuses a search path that starts with another schema than public`() throws {
        let migrator = Migrator(url: url, files: [try file("0001_first", "CREATE TABLE lost (id integer)")])
        for (path, mention) in [("other, public", "starts with the schema other"), ("none", "names no schema")] {
            try BlockingConnection.connect(to: url).execute(
                """
                CREATE SCHEMA IF NOT EXISTS other;
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = \(path)', current_database()); END $$
                """
            )
            let error = try #require(throws: MigrationError.self) { try migrator.apply() }
            #expect(error.isLasting)
            #expect(error.description.contains(mention))
            #expect(error.description.contains("SET search_path = public"))
        }
        #expect(try query("SELECT relname FROM pg_class WHERE relnamespace = 'other'::regnamespace") == [])
    }

    @Test func `names the options of the URL where they have set the search path`() throws {
        let separator = url.contains("?") ? "&" : "?"
        let migrator = Migrator(url: "\(url)\(separator)options=-csearch_path%3Dnone", files: [])
        let error = try #require(throws: MigrationError.self) { try migrator.apply() }
        #expect(error.description.contains("leave search_path out of the options of DATABASE_URL"))
    }

    @Test func `refuses a database whose encoding cannot hold every text`() throws {
        let name = try #require(try query("SELECT current_database()").first?.first ?? nil)
        let other = "\(name)_latin"
        let administrator = try BlockingConnection.connect(to: url)
        try administrator.execute("CREATE DATABASE \(other) TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
        defer { try? administrator.execute("DROP DATABASE \(other)") }
        let error = try #require(throws: MigrationError.self) {
            try Migrator(url: url.replacing(name, with: other), files: [file("0001_first", "SELECT 1")]).apply()
        }
        #expect(error.isLasting)
        #expect(error.description.contains("LATIN1"))
    }

    @Test func `rolls a failing file back whole and names its line`() throws {
        let files = [
            try file("0001_good", "CREATE TABLE good (id integer)"),
            try file("0002_bad", "CREATE TABLE half (id integer);\n\nSELECT nonsense;\nCREATE TABLE more (id integer)"),
            try file("0003_after", "CREATE TABLE after (id integer)"),
        ]
        #expect {
            try Migrator(url: url, files: files).apply()
        } throws: { error in
            guard case .failed(let file, let line, let cause) = error as? MigrationError else { return false }
            return file == "0002_bad" && line == 3 && cause.state == "42703"
        }
        let tables = try query("SELECT to_regclass('good'), to_regclass('half'), to_regclass('after')")
        #expect(tables == [["good", nil, nil]])
        #expect(try query("SELECT number FROM swiftlet.migrations") == [["1"]])
    }

    @Test func `rolls back what a deferred constraint refuses at the end`() throws {
        let text = """
            CREATE TABLE parents (id integer PRIMARY KEY);
            CREATE TABLE children (parent integer REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO children VALUES (7);
            """
        #expect {
            try Migrator(url: url, files: [file("0001_deferred", text)]).apply()
        } throws: {
            guard case .failed("0001_deferred", nil, let cause) = $0 as? MigrationError else { return false }
            return cause.state == "23503"
        }
        #expect(try query("SELECT to_regclass('children')") == [[nil]])
    }

    @Test func `claims nothing where the connection breaks amid COMMIT`() throws {
        let text = """
            CREATE TABLE ends (id integer);
            CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN null; END $$;
            CREATE CONSTRAINT TRIGGER at_the_end AFTER INSERT ON ends DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION end_session();
            INSERT INTO ends VALUES (1);
            """
        #expect {
            try Migrator(url: url, files: [file("0001_ends", text)]).apply()
        } throws: {
            guard case .unknown("0001_ends", _) = $0 as? MigrationError else { return false }
            return true
        }
    }

    /// A file that asks another server, with dblink for example, can fail like a broken connection.
    @Test(arguments: ["08001", "57P01"])
    func `knows that nothing was applied where the connection still stands`(state: String) throws {
        let text = "CREATE TABLE asks (id integer); DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '\(state)'; END $$"
        #expect {
            try Migrator(url: url, files: [file("0001_asks", text)]).apply()
        } throws: {
            guard case .failed("0001_asks", _, _) = $0 as? MigrationError else { return false }
            return true
        }
    }

    @Test(arguments: ["COMMIT", "ROLLBACK", "COMMIT; BEGIN"])
    func `refuses a file that ends its transaction itself`(word: String) throws {
        let file = try file("0001_own", "CREATE TABLE own (id integer); \(word)")
        #expect(throws: MigrationError.endsTransaction(file: "0001_own")) {
            try Migrator(url: url, files: [file]).apply()
        }
    }

    @Test(arguments: [
        "CREATE TABLE own (id integer); COMMIT; SELECT 1 / 0",
        "CREATE TABLE own (id integer); COMMIT; BEGIN; SELECT 1 / 0",
        "SET search_path = ''; COMMIT; SELECT 1 / 0",
        "COMMIT; BEGIN; CREATE TABLE own (id integer)",
        "ROLLBACK; CREATE TABLE own (id integer)",
        "ROLLBACK; BEGIN; CREATE TABLE own (id integer); COMMIT; SELECT 1 / 0",
        "ROLLBACK; CREATE TABLE own (id integer); COMMIT; SELECT 1 / 0",
        "CREATE TABLE x (id integer); ROLLBACK AND CHAIN; CREATE TABLE own (id integer); COMMIT; SELECT 1 / 0",
    ])
    func `claims neither that nothing nor that all of such a file was applied`(text: String) throws {
        #expect(throws: MigrationError.endsTransaction(file: "0001_own")) {
            try Migrator(url: url, files: [file("0001_own", text)]).apply()
        }
        #expect(try query("SELECT number FROM swiftlet.migrations") == [])
        // The corrected file is not taken for an edited one.
        let corrected = try file("0001_own", "CREATE TABLE IF NOT EXISTS own (id integer)")
        #expect(try Migrator(url: url, files: [corrected]).apply() == ["0001_own"])
    }

    @Test func `is not disturbed by what a dump sets`() throws {
        let files = [
            try file(
                "0001_dump",
                "SELECT set_config('search_path', '', false); CREATE TABLE public.dumped (id integer)"
            ),
            try file("0002_next", "CREATE TABLE next (id integer)"),
        ]
        try Migrator(url: url, files: files).apply()
        #expect(try query("SELECT to_regclass('public.next')") == [["next"]])
    }

    @Test func `lets racing runners apply each file exactly once`() async throws {
        let files = try (1...4).map { number in
            try file(
                "000\(number)_step",
                "CREATE TABLE IF NOT EXISTS runs (step integer); SELECT pg_sleep(0.05); INSERT INTO runs VALUES (\(number))"
            )
        }
        let url = url
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...4 { group.addTask { try Migrator(url: url, files: files).apply() } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == files.map(\.name))
        #expect(try query("SELECT step FROM runs ORDER BY step") == [["1"], ["2"], ["3"], ["4"]])
    }

    /// As three servers do that are started with `--migrate` on an empty database.
    @Test func `racing runners make the indexes behind the files one after another`() async throws {
        let index = """
            CREATE SCHEMA IF NOT EXISTS swiftlet;
            CREATE TABLE public.marks (mark integer);
            CREATE FUNCTION swiftlet.index_search() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
                IF to_regclass('public.marks_mark') IS NULL THEN
                    PERFORM pg_sleep(0.1);
                    CREATE INDEX marks_mark ON public.marks (mark);
                END IF;
                RETURN NULL;
            END $$
            """
        let files = try [file("0001_index", index)] + (2...6).map { try file("000\($0)_step", "SELECT pg_sleep(0.02)") }
        let url = url
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...4 { group.addTask { try Migrator(url: url, files: files).apply() } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == files.map(\.name))
        #expect(try query("SELECT to_regclass('public.marks_mark') IS NOT NULL") == [["t"]])
    }

    @Test func `says so when there is no server`() throws {
        let migrator = Migrator(url: "postgresql:///x?host=/nonexistent", files: [])
        #expect {
            try migrator.status()
        } throws: {
            guard case .database(let error) = $0 as? MigrationError else { return false }
            return error.state == "08001"
        }
    }
}
