import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb
import SwiftletTesting
import Testing

/// Tasks in tables that differ from those of our migrations.
@Suite(
    .needsDatabase,
    .hangLimit
)
struct TaskDriftTests {
    @Test func `a task's id may be of another type than its children hold`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                ALTER TABLE time_entries DROP CONSTRAINT time_entries_task_id_tenant_fkey;
                ALTER TABLE task_comments DROP CONSTRAINT task_comments_task_id_tenant_fkey;
                ALTER TABLE tasks ALTER id DROP DEFAULT;
                ALTER TABLE tasks ALTER id TYPE uuid USING id::uuid;
                """
            )
            try await shop.server.database.reloadSchema()
            let id = try await shop.alice.makeTask()
            #expect(try await shop.alice.json(.post, "/tasks/\(id)/time", #"{"minutes":30}"#)["minutes"] == 30)
            #expect(try await shop.alice.json(.get, "/tasks/\(id)/time")["total"] == 1)
            #expect(try await shop.bob.send(.get, "/tasks/\(id)/time").status == .notFound)
            #expect(try await shop.alice.send(.get, "/tasks/none/time").status == .notFound)
        }
    }

    @Test func `a task is not said to be deleted while its table is missing`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            try shop.server.execute("ALTER TABLE tasks RENAME TO moved")
            #expect(try await shop.alice.send(.delete, "/tasks/\(id)").status == .notFound)
            let keys = #"{"task_ids":["\#(id)"],"status":"completed"}"#
            #expect(try await shop.alice.send(.post, "/tasks/bulk/delete", keys).status == .notFound)
            #expect(try await shop.alice.send(.patch, "/tasks/bulk", keys).status == .notFound)
            try shop.server.execute("ALTER TABLE moved RENAME TO tasks")
            try await shop.server.database.reloadSchema()
            #expect(try await shop.alice.send(.delete, "/tasks/\(id)").status == .ok)
            #expect(try await shop.alice.send(.get, "/tasks/\(id)").status == .notFound)
        }
    }

    @Test(arguments: ["due_date", "assigned_to", "status", "priority"])
    func `statistics do without a column that the database lacks`(column: String) async throws {
        try await Shop.with { shop in
            _ = try await shop.alice.makeTask("a", #","due_date":"2020-01-01","assigned_to":"alice","priority":"low""#)
            try shop.server.execute("ALTER TABLE tasks DROP COLUMN \(column)")
            let statistics = try await shop.alice.json(.get, "/tasks/stats")
            #expect(statistics["total"] == 1)
            #expect(statistics["todo"] == 1)
            #expect(statistics["overdue"]?.int == (column == "due_date" ? 0 : 1))
            #expect(statistics["my_open"]?.int == (column == "assigned_to" ? 0 : 1))
            #expect(statistics["by_priority"]?[column == "priority" ? "medium" : "low"] == 1)
        }
    }

    /// Nobody tells the server of it.
    @Test func `a column may become one of another type while the server runs`() async throws {
        try await Shop.with { shop in
            let body = #"{"title":"x","tags":["a"],"due_date":"2026-05-04T10:00:00Z"}"#
            #expect(try await shop.alice.send(.post, "/tasks", body).status == .created)
            let changes = [
                "ALTER tags TYPE jsonb USING to_jsonb(tags)", "ALTER tags TYPE text[] USING NULL",
                "ALTER due_date TYPE date", "ALTER due_date TYPE text", "ALTER due_date TYPE timestamp USING NULL",
            ]
            for change in changes {
                try shop.server.execute("ALTER TABLE tasks \(change)")
                // For a value that was right for the old type, the catalog is read once in a while only.
                let isStored = try await eventually {
                    try await shop.alice.json(.post, "/tasks", body)["tags"] == ["a"]
                }
                #expect(isStored, "\(change)")
                let list = try await shop.alice.send(.get, "/tasks?due_before=2026-06-01")
                #expect(list.status == .ok, "\(change)")
            }
        }
    }

    /// As when a migration is taken back and repeated. The catalog that is read last may equal the one in use.
    @Test func `a column may get another type and get its own back, again and again`() async throws {
        try await Shop.with { shop in
            let id = "00000000-0000-4000-8000-000000000001"
            let body = #"{"title":"x","assigned_to":"\#(id)"}"#
            for round in 0..<6 {
                for _ in 0..<12 {
                    #expect(try await shop.alice.json(.post, "/tasks", body)["assigned_to"]?.string == id, "\(round)")
                    let list = try await shop.alice.send(.get, "/tasks?assignedTo=\(id)")
                    #expect(list.status == .ok, "\(round): \(list.text)")
                }
                let kind = round % 2 == 0 ? "uuid USING NULL" : "varchar"
                try shop.server.execute("ALTER TABLE tasks ALTER assigned_to TYPE \(kind)")
            }
        }
    }

    @Test func `a column that must not be null may be added while the server runs`() async throws {
        try await Shop.with { shop in
            #expect(try await shop.alice.send(.post, "/tasks", #"{"title":"x"}"#).status == .created)
            try shop.server.execute("ALTER TABLE tasks ADD phase text NOT NULL DEFAULT 'old'")
            try shop.server.execute("ALTER TABLE tasks ALTER phase DROP DEFAULT")
            // A catalog that was read just now is not read again for a miss.
            try await Task.sleep(for: .seconds(2.1))
            #expect(try await shop.alice.json(.post, "/tasks", #"{"title":"x","phase":"new"}"#)["phase"] == "new")
            let refused = try await shop.alice.json(.post, "/tasks", #"{"title":"x"}"#)
            #expect(refused["details"] == ["phase": "is required"])
        }
    }
}
