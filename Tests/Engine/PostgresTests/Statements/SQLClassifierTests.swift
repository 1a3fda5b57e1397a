import Testing

@testable import SwiftletPostgres

@Suite struct SQLClassifierTests {
    @Test(arguments: [
        "SELECT 1",
        "  -- find\n SELECT count(*) FROM tasks WHERE id = $1",
        "/* a /* nested */ note */ select lower(name) from t where x in ($1, $2)",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "VALUES (1), (2)",
        "SELECT 'DELETE FROM t', x::numeric(10,2) FROM t WHERE EXISTS (SELECT 1)",
        "SELECT \"update\" FROM t",
        "SELECT t.count FROM t ORDER BY row_number() OVER (PARTITION BY x)",
    ])
    func `recognizes reads`(text: String) {
        #expect(SQLClassifier.isReadOnly(text))
    }

    @Test(arguments: [
        "", "  ", "INSERT INTO t VALUES (1)", "UPDATE t SET x = 1", "DELETE FROM t", "BEGIN", "NOTIFY x", "(SELECT 1)",
        "SELECT * FROM t FOR UPDATE", "SELECT * FROM t FOR NO KEY UPDATE", "SELECT * FROM t FOR KEY SHARE",
        "SELECT * INTO copied FROM t",
        "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
        "SELECT nextval('s')", "SELECT pg_notify('a', 'b')", "SELECT \"nextval\"('s')", "SELECT mine.lower('s')",
        "SELECT set_config('a', 'b', true)", "SELECT nextval /* x */ ('s')", "EXPLAIN ANALYZE DELETE FROM t",
        "SELECT E'\\'', nextval('s'), '''", "SELECT $$ '$$, nextval('s') --'", "SELECT $a$'$a$",
    ])
    func `classifies everything else as a write`(text: String) {
        #expect(!SQLClassifier.isReadOnly(text))
    }

    @Test(arguments: [
        "SELECT set_config('role', 'x', false)", "SELECT pg_advisory_lock(1)", "SELECT mine.lower('s')",
        "SELECT * FROM mine()", "INSERT INTO t (a) VALUES (mine(1))", "INSERT INTO t SELECT mine(1)",
        "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING mine(a)", "UPDATE t SET a = \"other\"(1)",
        "SELECT other(1)", "DO $$ BEGIN END $$", " ; CALL p()", "EXECUTE s", "SELECT $a$'$a$, E'\\''",
        "WITH x AS (INSERT INTO t (a) VALUES (1) RETURNING a) SELECT mine(a) FROM x",
    ])
    func `finds calls that may leave something in the session`(text: String) {
        #expect(SQLClassifier.mayLeaveTraces(text))
    }

    @Test(arguments: [
        "SELECT 1", "SELECT lower(a), now() FROM t WHERE a IN ($1, $2)", "INSERT INTO t (a, b) VALUES ($1, now())",
        "INSERT INTO public.\"T\" (a) VALUES (gen_random_uuid()) ON CONFLICT (a) DO UPDATE SET b = (1 + 2)",
        "UPDATE t SET a = nextval('s'), b = coalesce($1, b) WHERE (a, b) = ($2, $3)", "DELETE FROM t USING s",
        "SELECT 'mine(1)', \"do\" FROM t -- mine()", "SELECT pg_notify('a', 'b')",
    ])
    func `takes statements without such calls for harmless`(text: String) {
        #expect(!SQLClassifier.mayLeaveTraces(text))
    }

    @Test(arguments: [
        ("BEGIN", true), ("commit", true), (" START TRANSACTION", true), ("ROLLBACK", true), ("-- x\nEND", true),
        ("COPY items TO STDOUT", true), ("DISCARD ALL", true), ("SAVEPOINT a", false), ("ROLLBACK TO a", false),
        ("SELECT 'BEGIN'", false), ("", false),
        ("SET statement_timeout = 0", true), ("set session characteristics as transaction read only", true),
        ("RESET ALL", true), ("SET ROLE x", true), ("SET LOCAL statement_timeout = 0", false),
        ("SET CONSTRAINTS ALL DEFERRED", false), ("SET TRANSACTION READ ONLY", false), ("SET", true),
        ("COMMIT AND CHAIN", true), ("SET local.x = 1", true), ("SET LOCAL x.y = 1", false),
        (" ;; COMMIT", true), (";SET a = 1", true), ("; SELECT 1", false),
        ("COPY items FROM STDIN (DELIMITER E'\\t')", true), ("COMMIT /* \\ */", true), ("SELECT $$BEGIN$$", false),
    ])
    func `recognizes statements that control transactions or the session`(text: String, isControl: Bool) {
        #expect(SQLClassifier.controlsConnection(text) == isControl)
    }

    @Test(arguments: [
        ("SELECT 1", true), (" -- x\nupdate t SET x = 1", true), ("WITH a AS (SELECT 1) DELETE FROM t", true),
        ("CALL settle()", false), ("DO $$ BEGIN COMMIT; END $$", false), ("; CALL settle()", false),
        ("VACUUM", false), ("CREATE INDEX CONCURRENTLY ON t (x)", false), ("", false),
    ])
    func `recognizes what runs in one transaction`(text: String, isAtomic: Bool) {
        #expect(SQLClassifier.isAtomic(text) == isAtomic)
    }
}
