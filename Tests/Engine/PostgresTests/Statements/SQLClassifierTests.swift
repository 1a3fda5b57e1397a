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
