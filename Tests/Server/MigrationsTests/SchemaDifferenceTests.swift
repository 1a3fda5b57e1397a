import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// What was changed by hand, as statements. Two databases are made for each.
@Suite(.needsDatabase, .hangLimit) struct SchemaDifferenceTests {
    private static let base = """
        CREATE TABLE public.boxes (
            id integer PRIMARY KEY, short varchar(10), small integer, "odd
        name" text NOT NULL, twice integer GENERATED ALWAYS AS (id * 2) STORED
        );
        ALTER TABLE public.boxes ENABLE ROW LEVEL SECURITY;
        ALTER TABLE public.boxes FORCE ROW LEVEL SECURITY;
        CREATE POLICY own ON public.boxes USING (id = 1);
        ALTER TABLE public.boxes ADD CONSTRAINT positive CHECK (id > 0);
        CREATE VIEW public.few AS SELECT id FROM public.boxes;
        CREATE FUNCTION public.closed() RETURNS integer LANGUAGE sql AS 'SELECT 1';
        REVOKE EXECUTE ON FUNCTION public.closed() FROM PUBLIC;
        CREATE MATERIALIZED VIEW public.kept AS SELECT 1 AS one;
        CREATE SEQUENCE public.numbers;
        CREATE TYPE public.size AS ENUM ('s');
        GRANT SELECT ON public.boxes TO anon;
        """

    /// The statements for what `sql` changes in a database that the migrations have made.
    private func difference(_ sql: String) throws -> [String] {
        let url = try TestDatabase.createEmpty()
        let files =
            try TestDatabase.files() + [MigrationFile(fileName: "0001_boxes.sql", text: Self.base, owner: "boxes")]
        try Migrator(url: url, files: files).apply()
        try BlockingConnection.connect(to: url).execute(sql)
        return try SchemaDifference.find(between: files, and: url).statements
    }

    @Test func `types are changed only where every value stays what it is`() throws {
        let statements = try difference(
            """
            ALTER TABLE public.boxes ALTER COLUMN short TYPE varchar(20), ALTER COLUMN small TYPE bigint;
            """
        )
        #expect(
            Set(statements) == [
                "ALTER TABLE public.boxes ALTER COLUMN short TYPE character varying(20);",
                "ALTER TABLE public.boxes ALTER COLUMN small TYPE bigint;",
            ]
        )
        let narrower = try difference(
            """
            ALTER TABLE public.boxes ALTER COLUMN short TYPE varchar(5), ALTER COLUMN small TYPE smallint;
            ALTER TABLE public.boxes DROP COLUMN twice, ADD COLUMN twice integer GENERATED ALWAYS AS (id * 3) STORED;
            """
        )
        #expect(narrower.count == 3 && isComment(narrower), "\(narrower)")
        #expect(narrower.contains { $0.contains("TYPE character varying(5);") })
        #expect(narrower.contains { $0.contains("(id * 3)) STORED") })
    }

    @Test func `what would take rows or protection away is a comment in every line`() throws {
        let statements = try difference(
            """
            DROP POLICY own ON public.boxes;
            ALTER TABLE public.boxes DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
            ALTER TABLE public.boxes DROP CONSTRAINT positive, ALTER COLUMN "odd
            name" DROP NOT NULL;
            DROP VIEW public.few;
            DROP MATERIALIZED VIEW public.kept;
            CREATE MATERIALIZED VIEW public.kept AS SELECT 2 AS one;
            GRANT EXECUTE ON FUNCTION public.closed() TO PUBLIC;
            DROP SEQUENCE public.numbers;
            ALTER TYPE public.size ADD VALUE E'm\\nDROP TABLE public.boxes; --';
            """
        )
        #expect(statements.count == 10 && isComment(statements), "\(statements)")
        for text in [
            "DROP POLICY own", "DISABLE ROW", "NO FORCE ROW", "DROP CONSTRAINT positive", "DROP VIEW public.few",
            "DROP MATERIALIZED VIEW public.kept",
            "GRANT EXECUTE ON ROUTINE public.closed() TO PUBLIC", "DROP SEQUENCE public.numbers", "DROP NOT NULL",
        ] { #expect(statements.contains { $0.contains(text) }, "\(text) is not in \(statements)") }
    }

    private func isComment(_ statements: [String]) -> Bool {
        statements.allSatisfy {
            $0.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { $0.hasPrefix("-- ") }
        }
    }

    @Test func `rights come along, and those that a new object would have by itself are taken`() throws {
        let change = """
            CREATE SCHEMA inner_part;
            GRANT USAGE ON SCHEMA inner_part TO authenticated;
            CREATE FUNCTION inner_part.secret() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
            REVOKE ALL ON FUNCTION inner_part.secret() FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION inner_part.secret() TO service_role;
            CREATE TABLE inner_part.things (id integer);
            ALTER TABLE inner_part.things ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
            GRANT USAGE ON SEQUENCE public.numbers TO anon;
            REVOKE SELECT ON public.boxes FROM anon;
            """
        let statements = try difference(change)
        for text in [
            "REVOKE EXECUTE ON ROUTINE inner_part.secret() FROM PUBLIC;",
            "GRANT EXECUTE ON ROUTINE inner_part.secret() TO service_role;",
            "GRANT USAGE ON SCHEMA inner_part TO authenticated;", "GRANT USAGE ON SEQUENCE public.numbers TO anon;",
            "ALTER TABLE inner_part.things FORCE ROW LEVEL SECURITY;", "REVOKE SELECT ON TABLE public.boxes FROM anon;",
        ] { #expect(statements.contains(text), "\(text) is not in \(statements)") }
        // Where they are applied, nobody may call what nobody may call here.
        let url = try TestDatabase.createEmpty()
        let files =
            try TestDatabase.files() + [MigrationFile(fileName: "0001_boxes.sql", text: Self.base, owner: "boxes")]
        try Migrator(url: url, files: files).apply()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(statements.joined(separator: "\n"))
        #expect(
            try connection.query("SELECT has_function_privilege('anon', 'inner_part.secret()', 'EXECUTE')") == [["f"]]
        )
    }
}
