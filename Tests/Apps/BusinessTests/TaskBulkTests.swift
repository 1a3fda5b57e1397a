import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb
import SwiftletTesting
import Testing

/// Changes of many tasks at once.
@Suite(
    .needsDatabase,
    .hangLimit
)
struct TaskBulkTests {
    @Test func `many tasks change at once, in every spelling the apps use`() async throws {
        try await Shop.with { shop in
            let ids = [try await shop.alice.makeTask(), try await shop.alice.makeTask()]
            let list = "[\"\(ids[0])\",\"\(ids[1])\",\"nobody\"]"
            let patched = try await shop.alice.json(
                .patch,
                "/tasks/bulk",
                #"{"task_ids":\#(list),"status":"completed"}"#
            )
            #expect(patched["updated"] == 2)
            #expect(try await shop.alice.json(.get, "/tasks/\(ids[0])")["completion_percentage"] == 100)
            let body = #"{"taskIds":\#(list),"patch":{"priority":"urgent"}}"#
            #expect(try await shop.alice.json(.post, "/tasks/bulk/update", body)["updated"] == 2)
            #expect(try await shop.bob.json(.post, "/tasks/bulk/delete", #"{"taskIds":\#(list)}"#)["deleted"] == 0)
            #expect(try await shop.alice.json(.post, "/tasks/bulk/delete", #"{"taskIds":\#(list)}"#)["deleted"] == 2)
            #expect(try await shop.alice.send(.patch, "/tasks/bulk", #"{"status":"todo"}"#).status == .badRequest)
            for patch in ["null", "[]", #""todo""#] {
                let refused = try await shop.alice.json(
                    .post,
                    "/tasks/bulk/update",
                    #"{"taskIds":\#(list),"patch":\#(patch)}"#
                )
                #expect(refused["details"]?["patch"] == "must be an object")
            }
        }
    }

    @Test(
        arguments: [
            #","colour":"red""#, #","patch":{"status":"review","colour":"red"}"#,
            #","taskIds":null,"colour":"red","patch":{"status":"review"}"#,
        ]
    )
    func `unknown fields of a bulk change are named, or refused`(change: String) async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            let body = #"{"task_ids":["\#(id)"]\#(change)}"#
            let strict = try await shop.alice.send(
                .patch,
                "/tasks/bulk",
                body,
                headers: [(.prefer, "handling=strict")]
            )
            #expect(strict.status == .badRequest)
            #expect(try JSONParser.parse(strict.body)["details"] == ["colour": "is unknown"])
            #expect(try await shop.alice.json(.get, "/tasks/\(id)")["status"] == "todo")
            let lenient = try await shop.alice.send(.patch, "/tasks/bulk", body)
            #expect(lenient.headers[.xIgnoredFields] == "colour")
            #expect(try JSONParser.parse(lenient.body)["updated"] == 1)
        }
    }

    @Test func `a bulk change takes the ids of every spelling, and what is beside the patch`() async throws {
        try await Shop.with { shop in
            let ids = [try await shop.alice.makeTask(), try await shop.alice.makeTask()]
            let body =
                #"{"task_ids":["\#(ids[0])"],"taskIds":["\#(ids[1])"],"patch":{"priority":"low"},"status":"review"}"#
            #expect(try await shop.alice.json(.patch, "/tasks/bulk", body)["updated"] == 2)
            for id in ids {
                let task = try await shop.alice.json(.get, "/tasks/\(id)")
                #expect(task["status"] == "review")
                #expect(task["priority"] == "low")
            }
            let odd = #"{"task_ids":["\#(ids[0])"],"ids":5,"status":"todo"}"#
            #expect(try await shop.alice.send(.patch, "/tasks/bulk", odd).status == .badRequest)
        }
    }

    @Test(arguments: [#"[]"#, #""a""#, #"["a",5]"#, #"{"a":1}"#, "null"])
    func `what is no list of ids is refused by name`(ids: String) async throws {
        try await Shop.with { shop in
            let refused = try await shop.alice.json(.post, "/tasks/bulk/delete", #"{"task_ids":\#(ids)}"#)
            #expect(refused["details"] == ["task_ids": "must be a list of task ids"])
        }
    }

    @Test func `a batch has up to 500 tasks, however often each is named`() async throws {
        try await Shop.with { shop async throws in
            let ids = (0..<500).map { "\"t\($0)\"" }.joined(separator: ",")
            let most = #"{"task_ids":[\#(ids)],"ids":[\#(ids)]}"#
            #expect(try await shop.alice.json(.post, "/tasks/bulk/delete", most)["deleted"] == 0)
            let more = #"{"task_ids":[\#(ids)],"ids":["t500"]}"#
            #expect(try await shop.alice.json(.post, "/tasks/bulk/delete", more)["code"] == "BATCH_TOO_LARGE")
        }
    }

    /// Without indexes, the rows would be taken as they lie.
    @Test(arguments: ["update", "delete"], [["a", "b"], ["b", "a"]])
    func `a bulk change locks its rows in the order of their keys`(change: String, made: [String]) async throws {
        try await Shop.with { shop in
            for id in made { _ = try await shop.alice.makeTask("x", #","id":"\#(id)""#) }
            try shop.server.execute(
                """
                ALTER TABLE tasks DROP CONSTRAINT tasks_pkey CASCADE;
                DO $$ DECLARE name text; BEGIN
                    FOR name IN SELECT indexname FROM pg_indexes WHERE tablename = 'tasks' LOOP
                        EXECUTE format('DROP INDEX %I CASCADE', name);
                    END LOOP;
                END $$;
                """
            )
            try await shop.server.database.reloadSchema()
            let holder = try BlockingConnection.connect(to: shop.server.databaseURL)
            try holder.execute("BEGIN; SELECT FROM tasks WHERE id = 'a' FOR UPDATE")
            async let changed = shop.alice.json(
                .post,
                "/tasks/bulk/\(change)",
                #"{"task_ids":["b","a"],"priority":"low"}"#
            )
            let observer = try BlockingConnection.connect(to: shop.server.databaseURL)
            let waiting =
                "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()"
            let deadline = ContinuousClock.now + .seconds(10)
            var isWaiting = false
            while !isWaiting, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(5))
                isWaiting = try !observer.query(waiting).isEmpty
            }
            // Without it, `b` would be free whatever the order.
            #expect(isWaiting)
            #expect(try holder.query("SELECT 1 FROM tasks WHERE id = 'b' FOR UPDATE NOWAIT").count == 1)
            try holder.execute("COMMIT")
            let answer = try await changed
            #expect(answer["\(change)d"] == 2)
        }
    }
}
