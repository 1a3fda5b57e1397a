import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

@Suite(.needsDatabase, .hangLimit)
struct SchemaTests {
    private static let script = """
        CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
        CREATE DOMAIN short AS varchar(20) NOT NULL DEFAULT 'x';
        CREATE DOMAIN shorter AS short;
        CREATE DOMAIN spot AS point;
        CREATE TABLE tenants (id uuid PRIMARY KEY);
        CREATE TABLE everything (
            id bigserial PRIMARY KEY, tenant_id uuid NOT NULL REFERENCES tenants (id), name varchar(50) NOT NULL,
            code char(3), note text, small smallint, number int DEFAULT 7, price numeric(12, 2), ratio float8,
            done bool, at timestamp, zoned timestamptz DEFAULT now(), day date, hour time, data json, more jsonb,
            raw bytea, feeling mood, tags text[], moods mood[], limited shorter,
            double_number int GENERATED ALWAYS AS (number * 2) STORED, serial_number int GENERATED ALWAYS AS IDENTITY,
            place point, other_place spot, UNIQUE (tenant_id, name), dropped int
        );
        ALTER TABLE everything DROP COLUMN dropped;
        CREATE UNIQUE INDEX ON everything (lower(name));
        CREATE TABLE parts (a int, b int, PRIMARY KEY (b, a));
        CREATE TABLE uses (id int PRIMARY KEY, x int, y int, FOREIGN KEY (y, x) REFERENCES parts (b, a));
        CREATE VIEW happy AS SELECT id, name, upper(name) AS shout FROM everything WHERE feeling = 'happy';
        CREATE SCHEMA other; CREATE TABLE other.hidden (id int); CREATE TABLE other.tenants (id int);
        """

    private func loaded(_ pool: TestPool) async throws -> Schema {
        try await pool.database.reloadSchema()
        return pool.database.schema
    }

    @Test func `the catalog is known after the start`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            let isLoaded = try await eventually { pool.database.schema.version == 1 }
            try #require(isLoaded)
            #expect(Set(pool.database.schema.tables.keys) == ["tenants", "everything", "parts", "uses", "happy"])
        }
    }

    @Test func `columns have their types, defaults and limits`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            let table = try #require(try await loaded(pool).tables["everything"])
            let categories: [(String, ColumnType.Category)] = [
                ("id", .int8), ("tenant_id", .uuid), ("name", .text), ("code", .text), ("note", .text),
                ("small", .int2), ("number", .int4), ("price", .numeric), ("ratio", .float), ("done", .bool),
                ("at", .timestamp), ("zoned", .timestamptz), ("day", .date), ("hour", .time), ("data", .json),
                ("more", .jsonb), ("raw", .bytea), ("feeling", .enumeration(labels: ["sad", "ok", "happy"])),
                ("limited", .text), ("place", .other), ("other_place", .other),
            ]
            for (name, category) in categories {
                #expect(table.column(name)?.type.category == category, "\(name)")
            }
            let unordered = table.columns.filter { !$0.type.canBeOrdered }.map(\.name)
            #expect(unordered == ["data", "place", "other_place"])
            guard case .array(let element) = table.column("tags")?.type.category else { throw TestFailure() }
            #expect(element.category == .text)
            guard case .array(let mood) = table.column("moods")?.type.category else { throw TestFailure() }
            #expect(mood.category == .enumeration(labels: ["sad", "ok", "happy"]))
            #expect(table.column("name")?.maximumLength == 50)
            #expect(table.column("code")?.maximumLength == 3)
            #expect(table.column("limited")?.maximumLength == 20)
            #expect(table.column("note")?.maximumLength == nil)
            #expect(table.column("name")?.type.name == "character varying(50)")
            let filled = table.columns.filter(\.hasDefault).map(\.name)
            #expect(Set(filled) == ["id", "number", "zoned", "limited", "double_number", "serial_number"])
            #expect(table.columns.filter(\.isGenerated).map(\.name) == ["double_number", "serial_number"])
            let required = table.columns.filter { !$0.isNullable }.map(\.name)
            #expect(Set(required) == ["id", "tenant_id", "name", "limited", "serial_number"])
            #expect(table.columns.first?.name == "id")
            #expect(table.column("dropped") == nil)
        }
    }

    @Test func `keys are known in their order`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            let tables = try await loaded(pool).tables
            #expect(tables["everything"]?.primaryKey == ["id"])
            #expect(tables["everything"]?.uniqueKeys == [["tenant_id", "name"]])
            #expect(tables["parts"]?.primaryKey == ["b", "a"])
            #expect(
                tables["uses"]?.foreignKeys == [
                    Table.ForeignKey(
                        name: "uses_y_x_fkey",
                        columns: ["y", "x"],
                        foreignTable: "parts",
                        foreignColumns: ["b", "a"]
                    )
                ]
            )
            #expect(tables["parts"]?.constraints["parts_pkey"] == ["b", "a"])
            #expect(tables["uses"]?.constraints["uses_y_x_fkey"] == ["y", "x"])
            #expect(tables["happy"]?.isView == true)
            #expect(tables["happy"]?.columns.map(\.isGenerated) == [false, false, true])
            #expect(tables["everything"]?.isView == false)
        }
    }

    @Test func `the first of several schemas wins`() async throws {
        try await TestPool.with(Self.script, configure: { $0.schemas = ["other", "public"] }) { pool async throws in
            let tables = try await loaded(pool).tables
            #expect(tables["tenants"]?.schema == "other")
            #expect(tables["hidden"]?.schema == "other")
            #expect(tables["everything"]?.schema == "public")
        }
    }

    @Test func `a notification brings the new schema, and the version grows`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            #expect(try await eventually { pool.database.schema.version == 1 })
            // Until LISTEN has been sent, nobody hears: the second reading shows that it has.
            let isListening = try await eventually {
                pool.events.all.count { if case .schemaLoaded = $0 { true } else { false } } >= 2
            }
            #expect(isListening)
            try pool.administer("ALTER TABLE parts ADD COLUMN c int")
            try pool.administer("NOTIFY pgrst, 'reload schema'")
            let hasColumn = try await eventually { pool.database.schema.tables["parts"]?.column("c") != nil }
            #expect(hasColumn)
            #expect(pool.database.schema.version == 2)
        }
    }

    @Test func `a reading that failed is done again, though nobody asks`() async throws {
        try await TestPool.with(Self.script, configure: { $0.statementTimeout = .seconds(1) }) {
            pool async throws in
            #expect(try await eventually { pool.database.schema.version == 1 })
            try pool.administer("ALTER TABLE parts ADD COLUMN c int")
            let other = try BlockingConnection.connect(to: pool.url)
            try other.execute("BEGIN; LOCK TABLE pg_constraint IN ACCESS EXCLUSIVE MODE")
            await #expect(throws: PostgresError.self) { try await pool.database.reloadSchema() }
            try other.execute("ROLLBACK")
            let hasColumn = try await eventually { pool.database.schema.tables["parts"]?.column("c") != nil }
            #expect(hasColumn)
        }
    }

    @Test func `a reading that the stop interrupts is not told of as a failure`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            #expect(try await eventually { pool.database.schema.version == 1 })
            let other = try BlockingConnection.connect(to: pool.url)
            try other.execute("BEGIN; LOCK TABLE pg_constraint IN ACCESS EXCLUSIVE MODE")
            let database = pool.database
            let reload = Task { try await database.reloadSchema() }
            let isReading = try await eventually {
                try other.query("SELECT count(*) FROM pg_locks WHERE NOT granted") == [["1"]]
            }
            #expect(isReading)
            await database.shutdown()
            await #expect(throws: PostgresError.self) { try await reload.value }
            #expect(!pool.events.all.contains { if case .schemaFailed = $0 { true } else { false } })
        }
    }

    @Test func `listening goes on after its connection broke`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            #expect(try await eventually { pool.database.schema.version == 1 })
            try pool.administer("ALTER TABLE parts ADD COLUMN c int")
            try pool.administer(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """
            )
            let hasColumn = try await eventually { pool.database.schema.tables["parts"]?.column("c") != nil }
            #expect(hasColumn, "a new connection must read the schema")
            try await Task.sleep(for: .milliseconds(500))
            try pool.administer("ALTER TABLE parts ADD COLUMN d int")
            try pool.administer("NOTIFY pgrst, 'reload schema'")
            let hasNext = try await eventually { pool.database.schema.tables["parts"]?.column("d") != nil }
            #expect(hasNext)
        }
    }

    @Test func `reloads at the same time share a reading, and one after a miss is rare`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            let database = pool.database
            try await database.reloadSchema()
            let before = pool.events.all.count
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { try? await database.reloadSchema() } }
            }
            #expect(pool.events.all.count - before <= 10)
            let version = database.schema.version
            #expect(try await database.reloadSchemaAfterMiss(version: version) == false)
            #expect(try await database.reloadSchemaAfterMiss(version: version - 1))
        }
    }

    @Test(arguments: [true, false])
    func `a statement goes on working when its table changes`(isReloaded: Bool) async throws {
        try await TestPool.with(Self.script) { pool async throws in
            let database = pool.database
            let all = Statement("SELECT * FROM parts WHERE a = $1", isReadOnly: true)
            let add = Statement("INSERT INTO parts VALUES ($1, $2) RETURNING *", isReadOnly: false)
            for number in 0..<40 {
                _ = try await database.query(add, .numbers(number, 1))
                _ = try await database.query(all, .numbers(1))
            }
            for (round, column) in ["c", "d", "e"].enumerated() {
                try pool.administer("ALTER TABLE parts ADD COLUMN \(column) int DEFAULT 5")
                if isReloaded { try await database.reloadSchema() }
                for number in 0..<20 {
                    let rows = try await database.query(all, .numbers(1))
                    #expect(rows.columnCount == 3 + round)
                    let added = try await database.query(add, .numbers(1000 + round * 100 + number, 2))
                    #expect(added.columnCount == 3 + round)
                }
            }
        }
    }

    /// The server finds out the types of parameters when it prepares, once.
    @Test func `a statement works again when its columns have got other types, and got them back`() async throws {
        let kinds = ["varchar", "uuid"]
        let id = "00000000-0000-4000-8000-000000000001"
        let create = { (kind: String) in "DROP TABLE IF EXISTS swapped; CREATE TABLE swapped (id \(kind))" }
        try await TestPool.with(create(kinds[0])) { pool async throws in
            let database = pool.database
            let add = Statement("INSERT INTO swapped VALUES ($1) RETURNING id", isReadOnly: false)
            let find = Statement("SELECT id FROM swapped WHERE id = $1", isReadOnly: true)
            for round in 0..<6 {
                if round > 0 { try BlockingConnection.connect(to: pool.url).execute(create(kinds[round % 2])) }
                var failures = 0
                var hasRow = false
                for _ in 0..<30 {
                    for statement in [add, find] {
                        do throws(PostgresError) {
                            let rows = try await database.query(statement, .texts(id))
                            hasRow = hasRow || !statement.isReadOnly
                            // Another connection than the one that refused to add may look for the row.
                            if hasRow { #expect(rows.text(0, 0) == id) }
                        } catch {
                            #expect([.datatypeMismatch, .undefinedFunction].contains(error.state))
                            failures += 1
                        }
                    }
                }
                #expect(hasRow)
                // Once for each statement and connection at most.
                #expect(failures <= 12)
            }
        }
    }

    /// As if it were the server's own word about a prepared statement.
    @Test func `a function that reports a lost statement costs nobody a connection`() async throws {
        let script = """
            CREATE FUNCTION lost() RETURNS int LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'gone' USING ERRCODE = '26000'; END $$;
            """
        try await TestPool.with(script) { pool async throws in
            let lost = Statement("SELECT lost()", isReadOnly: false)
            for _ in 0..<20 {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await pool.database.query(lost, .none)
                }
                #expect(error?.state == .invalidStatementName)
                #expect(error?.isRaised == true)
            }
            #expect(await pool.database.statistics()[0].totalConnectionsLost == 0)
        }
    }

    @Test func `a statement that the server has forgotten is prepared again`() async throws {
        try await TestPool.with(Self.script) { pool async throws in
            let database = pool.database
            let all = Statement("SELECT * FROM parts", isReadOnly: true)
            for _ in 0..<40 { _ = try await database.query(all, .none) }
            for _ in 0..<12 { _ = try await database.query(Statement("DEALLOCATE ALL", isReadOnly: false), .none) }
            for _ in 0..<40 { #expect(try await database.query(all, .none).count == 0) }
        }
    }

    @Test func `a server that forgets its statements again and again fails nobody`() async throws {
        let script = """
            CREATE TABLE parts (a int, b int);
            CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN new; END $$;
            CREATE TRIGGER forget BEFORE INSERT ON parts FOR EACH ROW WHEN (new.b % 7 = 0) EXECUTE FUNCTION forget();
            """
        try await TestPool.with(script, configure: { $0.connections = 2 }) { pool async throws in
            let database = pool.database
            let loop = pool.loop
            let count = Statement("SELECT count(*) FROM parts WHERE a = $1", isReadOnly: true)
            let add = Statement("INSERT INTO parts VALUES ($1, $2)", isReadOnly: false)
            let failures = await withTaskGroup(of: [String].self) { group in
                for task in 0..<12 {
                    group.addTask(executorPreference: loop) {
                        var failures: [String] = []
                        for number in 0..<150 {
                            do throws(PostgresError) {
                                _ = try await database.query(add, .numbers(task, number))
                                let rows = try await database.query(count, .numbers(task))
                                if rows.text(0, 0) != "\(number + 1)" { failures.append("wrong count") }
                            } catch {
                                failures.append(error.debugDescription)
                            }
                        }
                        return failures
                    }
                }
                return await group.reduce([], +)
            }
            #expect(failures.isEmpty, "\(failures.count) of 3600, such as \(failures.first ?? "")")
        }
    }

    private struct TestFailure: Error {}
}
