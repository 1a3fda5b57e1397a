@testable import SwiftletConsole
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

/// Statements that operators type.
@Suite(.needsDatabase, .hangLimit) struct StatementTests {
    private static let things =
        "CREATE TABLE things (id integer, name text); INSERT INTO things SELECT n, 'x' FROM generate_series(1, 5) n;"

    @Test func `reading gives rows, and cannot write`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let session = try await server.enter()
            let read = try await session.post(
                "sql",
                ["sql": "SELECT id, name, NULL AS nothing FROM things ORDER BY id;"]
            )
            #expect(read["columns"] == ["id", "name", "nothing"])
            #expect(read["rows"]?[0] == ["1", "x", .null])
            #expect(read["rows"]?.array?.count == 5)
            for statement in [
                "DELETE FROM things", "WITH gone AS (DELETE FROM things RETURNING *) SELECT * FROM gone",
                "SET TRANSACTION READ WRITE", "SELECT 1; DELETE FROM things", "CREATE TABLE other (a integer)",
            ] {
                _ = try await session.post("sql", ["sql": .string(statement)], status: .badRequest)
            }
            #expect(try server.application.count("things") == 5)
        }
    }

    @Test func `writing is tried first, and committed only if it does the same`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let session = try await server.enter()
            let delete: JSONObject = ["sql": "DELETE FROM things WHERE id > 3", "write": true]
            let trial = try await session.post("sql", .object(delete))
            #expect(trial["affected"]?.int == 2)
            #expect(trial["committed"]?.bool == false)
            #expect(try server.application.count("things") == 5)

            try server.application.execute("INSERT INTO things VALUES (6, 'late')")
            var commit = delete
            commit["commit"] = true
            commit["expected"] = 2
            let late = try await session.post("sql", .object(commit), status: 409)
            #expect(late["error"]?["message"]?.string?.contains("3 rows") == true)
            #expect(try server.application.count("things") == 6)

            commit["expected"] = 3
            #expect(try await session.post("sql", .object(commit))["committed"]?.bool == true)
            #expect(try server.application.count("things") == 3)
            #expect(
                try server.application.count("swiftlet.console_audit WHERE action = 'sql' AND statement LIKE 'DELETE%'")
                    == 1
            )
        }
    }

    @Test func `nothing of a statement's session stays`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let session = try await server.enter()
            _ = try await session.post("sql", ["sql": "SET search_path = pg_catalog"])
            let setting: JSONValue = "SELECT set_config('search_path', 'pg_catalog', false)"
            _ = try await session.post("sql", ["sql": setting])
            _ = try await session.post("sql", ["sql": setting, "write": true, "commit": true])
            for _ in 0..<4 {
                #expect(
                    try await session.post("sql", ["sql": "SELECT count(*) FROM things"])["rows"]?[0]?[0]?.string == "5"
                )
            }
        }
    }

    @Test func `a role and its rights are those of the statement`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let session = try await server.enter()
            let who = try await session.post("sql", ["sql": "SELECT current_user", "role": "anon"])
            #expect(who["rows"]?[0]?[0]?.string == "anon")
            _ = try await session.post("sql", ["sql": "SELECT * FROM things", "role": "anon"], status: .badRequest)
        }
    }

    @Test func `a plan with times leaves nothing, and a large result stops`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let session = try await server.enter()
            let plan = try await session.post("sql", ["sql": "UPDATE things SET name = 'y'", "explain": "analyze"])
            #expect(plan["rows"]?[0]?[0]?.string?.contains("Execution Time") == true)
            #expect(try server.application.count("things WHERE name = 'y'") == 0)
            let many = try await session.post("sql", ["sql": "SELECT generate_series(1, 100000)"])
            #expect(many["rows"]?.array?.count == 1000)
            #expect(many["more"]?.bool == true)
        }
    }

    @Test func `a running statement can be cancelled while others run`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let session = try await server.enter()
            async let slow = session.post("sql", ["sql": "SELECT pg_sleep(60)", "id": "mine"], status: .badRequest)
            #expect(try await session.post("sql", ["sql": "SELECT 1"])["rows"]?[0]?[0]?.string == "1")
            #expect(
                try await eventually(within: .seconds(60)) {
                    try await session.response(.post, "sql/cancel", #"{"id":"mine"}"#).status == .ok
                }
            )
            #expect(try await slow["error"]?["message"]?.string?.contains("cancel") == true)
        }
    }

    /// A statement that reads rows has two steps; between them its backend is idle, and cannot be cancelled from outside.
    @Test func `a cancel between two steps of a statement, or before the first, ends it`() async throws {
        let running = RunningStatements()
        #expect(running.begin("a"))
        #expect(running.cancel("a"))
        #expect(throws: ConsoleError.self) { try running.perform("a", by: "42") }
        running.end("a")
        #expect(!running.cancel("a"))

        #expect(running.begin("b"))
        try running.perform("b", by: "42")
        try running.check("b")
        #expect(running.pid(of: "b") == "42")
        #expect(running.cancel("b"))
        #expect(throws: ConsoleError.self) { try running.check("b") }
        // What was done is taken back, and the backend is left alone while it does that.
        #expect(throws: ConsoleError.self) { try running.finish("b") }
        #expect(running.pid(of: "b") == nil)
        running.end("b")

        for id in ["c", "d", "e"] { #expect(running.begin(id)) }
        #expect(!running.begin("f"))
        running.end("c")
        #expect(running.begin("f"))
        #expect(!running.begin("f"))
    }

    @Test func `a cancelled change is not committed, and leaves no entry`() async throws {
        let slow =
            Self.things
            + "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';"
        try await ConsoleServer.with(
            sql: slow + "CREATE TRIGGER slow BEFORE UPDATE ON things FOR EACH ROW EXECUTE FUNCTION slowly();"
        ) {
            server in
            let session = try await server.enter()
            let change: JSONValue = [
                "sql": "UPDATE things SET name = 'y'", "write": true, "commit": true, "id": "mine",
            ]
            async let answer = session.post("sql", change, status: .badRequest)
            #expect(
                try await eventually(within: .seconds(60)) {
                    try await session.response(.post, "sql/cancel", #"{"id":"mine"}"#).status == .ok
                }
            )
            _ = try await answer
            #expect(try server.application.count("things WHERE name = 'y'") == 0)
            #expect(try server.application.count("swiftlet.console_audit WHERE action = 'sql'") == 0)
        }
    }

    @Test func `nobody cancels the statement of another session`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let first = try await server.enter()
            let second = try await server.enter()
            async let slow = first.post("sql", ["sql": "SELECT pg_sleep(60)", "id": "mine"], status: .badRequest)
            #expect(
                try await eventually(within: .seconds(60)) {
                    let other = try await second.response(.post, "sql/cancel", #"{"id":"mine"}"#)
                    if other.status != .notFound { Issue.record("another session has cancelled it") }
                    return try await first.response(.post, "sql/cancel", #"{"id":"mine"}"#).status == .ok
                }
            )
            _ = try await slow
        }
    }

    @Test func `only owners have SQL on the server's own connection`() async throws {
        try await ConsoleServer.with(sql: Self.things) { server in
            let editor = try await server.enter(.editor)
            _ = try await editor.post("sql", ["sql": "SELECT 1"], status: .forbidden)
        }
        try await ConsoleServer.with(sql: Self.things) {
            $0.hasOwnRole = true
        } _: { server in
            let editor = try await server.enter(.editor)
            _ = try await editor.post("sql", ["sql": "SELECT 1"])
            _ = try await editor.post("sql", ["sql": "SELECT 1", "write": true], status: .forbidden)
        }
    }
}
