import Testing

@testable import SwiftletMigrations

/// What a pending migration does to servers that know the schema from before it.
@Suite struct MigrationHazardTests {
    private func hazards(_ texts: String...) throws -> [MigrationHazard] {
        try MigrationHazard.find(
            in: texts.enumerated().map { try MigrationFile(fileName: "000\($0 + 1)_change.sql", text: $1) }
        )
    }

    @Test(arguments: [
        ("CREATE TABLE IF NOT EXISTS tasks (id int); ALTER TABLE tasks DROP COLUMN title", 1),
        ("ALTER TABLE tasks ADD COLUMN IF NOT EXISTS title text; ALTER TABLE tasks RENAME title TO name", 1),
        ("DO $$ BEGIN CREATE SCHEMA old; END $$; DROP TABLE old.tasks", 1),
        ("CREATE TABLE more (id int); ALTER TABLE more ADD due date NOT NULL; DROP TABLE more", 0),
        ("ALTER TABLE tasks ADD due date; ALTER TABLE tasks ALTER due SET NOT NULL", 0),
    ])
    func `what the database has is not new, however it is made`(text: String, count: Int) throws {
        let files = [try MigrationFile(fileName: "0001_change.sql", text: text)]
        let existing: Set = ["tasks", "tasks.id", "tasks.title", "old", "old.tasks"]
        #expect(MigrationHazard.find(in: files, existing: existing).count == count)
    }

    @Test(arguments: [
        "ALTER TABLE tasks ADD team bigint DEFAULT 0 REFERENCES teams (id)",
        "ALTER TABLE tasks ADD code text DEFAULT 'x'::character varying(20)",
    ])
    func `a constant default writes no rows`(text: String) throws {
        #expect(try hazards(text).allSatisfy { $0.effect != .blocks })
    }

    @Test(arguments: [
        "DROP TABLE tasks", "DROP TABLE IF EXISTS public.tasks, other CASCADE", "drop view seen",
        "DROP MATERIALIZED VIEW sums", "DROP FUNCTION sum_of(integer, text)", "DROP TYPE mood",
        "DROP SCHEMA old CASCADE",
        "ALTER TABLE tasks DROP COLUMN title", "ALTER TABLE tasks DROP title", "ALTER TABLE tasks RENAME TO tasks2",
        "ALTER TABLE IF EXISTS ONLY \"tasks\" RENAME COLUMN title TO name", "ALTER TABLE tasks RENAME title TO name",
        "ALTER TYPE mood RENAME TO feeling", "ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'",
        "ALTER FUNCTION sum_of(integer) RENAME TO total", "ALTER TABLE tasks ALTER COLUMN title SET NOT NULL",
        "ALTER TABLE tasks ADD COLUMN due date NOT NULL",
        "ALTER TABLE tasks ADD CONSTRAINT late CHECK (a > 1) NOT VALID",
        "ALTER TABLE tasks ALTER title DROP DEFAULT", "ALTER TABLE tasks SET SCHEMA old",
        "ALTER VIEW seen SET SCHEMA old",
        "REVOKE SELECT ON tasks FROM anon", "REVOKE staff FROM ada", "DROP TABLE tasks; CREATE TABLE tasks (id int)",
        "CREATE SCHEMA IF NOT EXISTS old; DROP TABLE old.tasks", "ALTER DOMAIN level ADD CHECK (VALUE > 0)",
        "DO $$ BEGIN IF true THEN ALTER TABLE tasks DROP COLUMN title; END IF; END $$",
        "/* one */ -- two\nDROP /* ; */ TABLE tasks;", "SELECT $x$;$x$; SELECT E'\\';', ';'; DROP TABLE tasks",
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC; SELECT CASE WHEN true THEN 1 END; END; DROP TABLE tasks",
    ])
    func `a statement that old servers do not survive`(text: String) throws {
        let hazards = try hazards(text)
        #expect(hazards.map(\.effect) == [.breaks])
        #expect(hazards.allSatisfy { !$0.advice.isEmpty })
    }

    @Test(arguments: [
        "CREATE INDEX ON tasks (title)", "CREATE INDEX IF NOT EXISTS by_title ON ONLY public.tasks (title)",
        "ALTER TABLE tasks ADD COLUMN key uuid DEFAULT gen_random_uuid()",
        "ALTER TABLE tasks ADD COLUMN n bigserial",
        "ALTER TABLE tasks ADD n integer GENERATED ALWAYS AS (a + 1) STORED", "REINDEX TABLE tasks",
    ])
    func `a statement that reads or writes the whole table`(text: String) throws {
        #expect(try hazards(text).map(\.effect) == [.blocks])
    }

    @Test(arguments: [
        "ALTER TABLE tasks ALTER COLUMN title TYPE integer USING title::integer",
        "CREATE UNIQUE INDEX ON tasks (title)",
        "ALTER TABLE tasks ADD UNIQUE (title)", "ALTER TABLE tasks ADD CONSTRAINT of FOREIGN KEY (a) REFERENCES b",
    ])
    func `a statement that does both`(text: String) throws {
        #expect(try hazards(text).map(\.effect) == [.breaks, .blocks])
    }

    @Test(arguments: [
        "ALTER TABLE tasks ADD COLUMN due date", "ALTER TABLE tasks ADD due date NOT NULL DEFAULT current_date",
        "ALTER TABLE tasks ADD COLUMN made timestamptz NOT NULL DEFAULT now()",
        "ALTER TABLE tasks DROP CONSTRAINT late",
        "ALTER TABLE tasks ADD COLUMN n numeric(10, 2) DEFAULT 0 CHECK (n >= 0)",
        "CREATE INDEX CONCURRENTLY ON tasks (a)",
        "ALTER TABLE tasks RENAME CONSTRAINT a TO b", "ALTER TABLE tasks VALIDATE CONSTRAINT late",
        "ALTER TABLE tasks ALTER title SET DEFAULT 'x', ALTER title DROP NOT NULL",
        "ALTER TYPE mood ADD VALUE 'calm'",
        "DROP INDEX by_title", "DROP POLICY mine ON tasks", "GRANT SELECT ON tasks TO anon",
        "-- DROP TABLE tasks\nSELECT 1",
        "SELECT 'DROP TABLE tasks; DROP TABLE tasks'",
        "CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE a; $$ LANGUAGE sql",
        "ALTER TABLE tasks ENABLE ROW LEVEL SECURITY",
    ])
    func `a statement that old servers do not notice`(text: String) throws {
        #expect(try hazards(text).isEmpty)
    }

    @Test(arguments: [
        "CREATE TABLE public.news (id int); ALTER TABLE news ADD UNIQUE (id); CREATE INDEX ON news (id); DROP TABLE news",
        "ALTER TABLE tasks ADD COLUMN due date; ALTER TABLE tasks ALTER due SET NOT NULL, DROP COLUMN due",
        "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1; REVOKE ALL ON FUNCTION f() FROM PUBLIC",
        "DROP VIEW seen; CREATE VIEW seen AS SELECT 1", "CREATE SCHEMA fresh; DROP TABLE fresh.anything",
        "ALTER TABLE tasks RENAME TO tasks2; CREATE VIEW tasks AS SELECT * FROM tasks2",
    ])
    func `what the file itself makes, or leaves in the place of the old, is none`(text: String) throws {
        #expect(try hazards(text).isEmpty)
    }

    @Test func `what an earlier pending file makes is none, and what a later one makes is`() throws {
        #expect(try hazards("CREATE TABLE news (id int)", "DROP TABLE news").isEmpty)
        #expect(try hazards("DROP VIEW seen", "CREATE VIEW seen AS SELECT 1").map(\.file) == ["0001_change"])
    }

    @Test func `file, line and action are named, each action by itself`() throws {
        let text = """
            -- Contracts
            CREATE TABLE news (id int);
            ALTER TABLE contracts
                ADD COLUMN number text,
                DROP COLUMN contract_number,
                RENAME CONSTRAINT a TO b,
                ALTER COLUMN   price  TYPE numeric(10, 2);
            """
        let hazards = try hazards(text)
        #expect(hazards.map(\.line) == [5, 7, 7])
        #expect(
            hazards.map(\.statement).prefix(2) == [
                "ALTER TABLE contracts DROP COLUMN contract_number",
                "ALTER TABLE contracts ALTER COLUMN price TYPE numeric(10, 2)",
            ]
        )
        #expect(
            hazards.first?.description == """
                0001_change:5: ALTER TABLE contracts DROP COLUMN contract_number: breaks servers that run with the old \
                schema: drop it in a later release, when no old server runs
                """
        )
    }

    @Test func `a long statement is cut, and text that is cut off is read as far as it goes`() throws {
        let names = (0..<40).map { "table_\($0)" }.joined(separator: ", ")
        #expect(try hazards("DROP TABLE \(names)").first?.statement.count == 100)
        let text = "ALTER TABLE \"a\"\"b\" ADD COLUMN c text NOT NULL DEFAULT f($x$ ';' $x$, E'\\'', /* /* */ */ \"d\")"
        for length in 0...text.count { _ = try hazards("SELECT 1; " + text.prefix(length)) }
    }
}
