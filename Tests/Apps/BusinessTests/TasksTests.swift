import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(
    .needsDatabase,
    .hangLimit
)
struct TasksTests {
    @Test func `a created task is the bare object and can be read again`() async throws {
        try await Shop.with { shop in
            let created = try await shop.alice.send(
                .post,
                "/tasks",
                #"{"title":"Ship it","due_date":"2026-03-01T12:00:00+02:00","tags":["a","b,c"],"estimated_hours":3}"#
            )
            #expect(created.status == .created)
            let task = try JSONParser.parse(created.body)
            #expect(task["title"] == "Ship it")
            #expect(task["status"] == "todo")
            #expect(task["priority"] == "medium")
            #expect(task["due_date"] == "2026-03-01T10:00:00Z")
            #expect(task["tags"] == .array(["a", "b,c"]))
            #expect(task["estimated_hours"] == 3)
            #expect(task["tenant_id"] == "tenant-a")
            #expect(task["created_by"] == "alice")
            let read = try await shop.alice.send(.get, "/tasks/\(task["id"]?.string ?? "")")
            #expect(read.status == .ok)
            #expect(read.text == created.text)
        }
    }

    @Test func `a list is wrapped, counted, ordered and paged`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                INSERT INTO tasks (id, tenant_id, title, created_by, created_at)
                SELECT 't' || lpad(n::text, 2, '0'), 'tenant-a', 'Task ' || n, 'alice',
                       timestamp '2024-01-01 10:00:00.123456' + n * interval '1 day'
                FROM generate_series(1, 30) n
                """
            )
            let first = try await shop.alice.json(.get, "/tasks?page=1&limit=10")
            #expect(first["total"] == 30)
            #expect(first["page"] == 1)
            #expect(first["limit"] == 10)
            #expect(first["has_more"] == true)
            #expect(first["data"]?[0]?["id"] == "t30")
            #expect(first["data"]?[0]?["created_at"] == "2024-01-31T10:00:00Z")
            let last = try await shop.alice.json(.get, "/tasks?page=3&limit=10")
            #expect(last["has_more"] == false)
            #expect(last["data"]?[9]?["id"] == "t01")
            let offset = try await shop.alice.json(.get, "/tasks?offset=29&page=7&limit=5")
            #expect(offset["data"]?.array?.count == 1)
            #expect(try await shop.alice.json(.get, "/tasks?limit=x&page=-1")["limit"] == 25)
            #expect(try await shop.alice.json(.get, "/tasks?limit=9999")["limit"] == 500)
            let sorted = try await shop.alice.json(.get, "/tasks?sort=title&limit=2")
            #expect(sorted["data"]?[1]?["title"] == "Task 10")
            let oldest = try await shop.alice.json(.get, "/tasks?sort=-dueDate,createdAt&limit=1")
            #expect(oldest["data"]?[0]?["id"] == "t01")
            for numbers in [
                "page=9223372036854775807", "limit=1&offset=9223372036854775807", "limit=1&page=9223372036854775807",
            ] {
                let beyond = try await shop.alice.json(.get, "/tasks?\(numbers)")
                #expect(beyond["data"] == .array([]), "\(numbers)")
                #expect(beyond["has_more"] == false, "\(numbers)")
                #expect(beyond["page"]?.int == Int.max, "\(numbers)")
            }
        }
    }

    @Test func `filters and search narrow a list and its total`() async throws {
        try await Shop.with { shop in
            _ = try await shop.alice.makeTask("Paint 100% of it", #","status":"done","assigned_to":"alice""#)
            _ = try await shop.alice.makeTask("Paint it", #","priority":"high","assigned_to":"carol""#)
            _ = try await shop.alice.makeTask("Read", #","due_date":"2026-05-05""#)
            let totals: [(String, JSONValue)] = [
                ("?my=true", 1), ("?my=TRUE", 1), ("?my=1", 1), ("?my=false", 3), ("?my=0", 3), ("?my=", 3),
                ("?assignedTo=carol", 1), ("?assigned_to=carol,alice", 2), ("?status=completed", 1),
                ("?status=todo,completed", 3), ("?status=done&status=todo", 3), ("?status=done&status=review", 1),
                ("?assignedTo=carol&assigned_to=alice", 2), ("?my=true&assigned_to=carol", 0), ("?priority=high", 1),
                ("?search=paint", 2), ("?search=100%25", 1),
                ("?search=%25", 1), ("?search=_", 0), ("?due_after=2026-05-05&due_before=2026-05-06", 1),
                ("?due_before=2026-05-05", 0), ("?assignedTo=' OR 1=1 --", 0),
            ]
            for (query, total) in totals {
                let target = "/tasks" + query.replacing(" ", with: "%20").replacing("'", with: "%27")
                #expect(try await shop.alice.json(.get, target)["total"] == total, "\(query)")
            }
        }
    }

    @Test func `absent keys stay, null clears, and the server's fields cannot be written`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask("One", #","description":"x","assigned_to":"carol""#)
            let body =
                #"{"assigned_to":null,"tenant_id":"tenant-b","created_by":"eve","comment_count":9,"colour":"red"}"#
            let response = try await shop.alice.send(.patch, "/tasks/\(id)", body)
            #expect(response.status == .ok)
            #expect(response.headers[.xIgnoredFields] == "colour")
            let task = try JSONParser.parse(response.body)
            #expect(task["assigned_to"] == .null)
            #expect(task["description"] == "x")
            #expect(task["tenant_id"] == "tenant-a")
            #expect(task["created_by"] == "alice")
            #expect(task["comment_count"] == 0)
            let strict = try await shop.alice.send(
                .patch,
                "/tasks/\(id)",
                #"{"colour":"red"}"#,
                headers: [(.prefer, "return=representation"), (.prefer, "handling=strict")]
            )
            #expect(strict.status == .badRequest)
        }
    }

    @Test func `completing stamps the time and reopening clears it`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            let done = try await shop.alice.json(.patch, "/tasks/\(id)", #"{"status":"completed"}"#)
            #expect(done["completed_at"]?.string?.hasSuffix("Z") == true)
            #expect(done["completion_percentage"] == 100)
            let reopened = try await shop.alice.json(.put, "/tasks/\(id)", #"{"status":"todo"}"#)
            #expect(reopened["completed_at"] == .null)
        }
    }

    @Test func `a task is deleted once and its deletion can be repeated`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            for _ in 0..<2 {
                let response = try await shop.alice.send(.delete, "/tasks/\(id)", "{}")
                #expect(response.status == .ok && response.text == #"{"success":true}"#)
            }
            #expect(try await shop.alice.send(.get, "/tasks/\(id)").status == .notFound)
        }
    }

    @Test func `a client's id is kept and a repeat is a conflict`() async throws {
        try await Shop.with { shop in
            let id = "0190A3C4-7B1A-7CC1-8F00-000000000001"
            let body = #"{"id":"\#(id)","title":"x"}"#
            #expect(try await shop.alice.json(.post, "/tasks", body)["id"] == .string(id))
            let again = try await shop.alice.send(.post, "/tasks", body)
            #expect(again.status == .conflict)
            #expect(try JSONParser.parse(again.body)["details"]?["id"] != nil)
        }
    }

    @Test func `statistics are flat and count what is open`() async throws {
        try await Shop.with { shop in
            _ = try await shop.alice.makeTask("a", #","due_date":"2020-01-01","assigned_to":"alice""#)
            _ = try await shop.alice.makeTask("b", #","due_date":"2020-01-01","status":"completed""#)
            try shop.server.execute(
                "INSERT INTO tasks (tenant_id, title, created_by, status, priority) VALUES ('tenant-a','c','x','blocked','odd')"
            )
            let all = try await shop.alice.json(.get, "/tasks/stats")
            #expect(all["total"] == 3, "\(all)")
            #expect(all["total"] == 3)
            #expect(all["todo"] == 1)
            #expect(all["in_progress"] == 1)
            #expect(all["completed"] == 1)
            #expect(all["review"] == 0)
            #expect(all["cancelled"] == 0)
            #expect(all["overdue"] == 1)
            #expect(all["by_priority"]?["medium"] == 3)
            #expect(try await shop.alice.json(.get, "/tasks/stats?my=true")["total"] == 1)
            #expect(try await shop.alice.json(.get, "/tasks/stats?my=1")["total"] == 1)
            #expect(try await shop.alice.json(.get, "/tasks/stats?my=false")["total"] == 3)
            #expect(try await shop.alice.json(.get, "/tasks/stats?my=true&my=false")["total"] == 1)
            #expect(try await shop.bob.json(.get, "/tasks/stats")["total"] == 0)
        }
    }

    @Test(arguments: ["/tasks?my=yes", "/tasks/stats?my=yes", "/tasks/stats?my=2&my=true"])
    func `a flag is set or not, and nothing else`(target: String) async throws {
        try await Shop.with { shop in
            let response = try await shop.alice.send(.get, target)
            #expect(response.status == .badRequest)
            #expect(try JSONParser.parse(response.body)["details"] == ["my": "must be true or false"])
        }
    }

    @Test func `stored words outside the vocabulary never leave`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                "INSERT INTO tasks (id, tenant_id, title, created_by, status, priority) VALUES ('w','tenant-a','c','x','blocked','odd')"
            )
            let task = try await shop.alice.json(.get, "/tasks/w")
            #expect(task["status"] == "in_progress")
            #expect(task["priority"] == "medium")
            #expect(try await shop.alice.json(.get, "/tasks?status=in_progress")["total"] == 1)
        }
    }

    @Test(arguments: ["In Progress", "IN_PROGRESS", "in-progress", "Started"])
    func `a filter finds a word however it was stored`(stored: String) async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                "INSERT INTO tasks (id, tenant_id, title, created_by, status) VALUES ('w','tenant-a','c','x','\(stored)')"
            )
            #expect(try await shop.alice.json(.get, "/tasks?status=in_progress")["data"]?[0]?["id"] == "w")
            #expect(try await shop.alice.json(.get, "/tasks?status=todo")["total"] == 0)
        }
    }

    @Test func `a filter that names no word of the column's type finds nothing, and one without words everything`()
        async throws
    {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                CREATE TYPE few AS ENUM ('todo', 'completed');
                ALTER TABLE tasks ALTER status DROP DEFAULT;
                ALTER TABLE tasks ALTER status TYPE few USING status::few;
                """
            )
            try await shop.server.database.reloadSchema()
            _ = try await shop.alice.makeTask("x", #","status":"todo""#)
            #expect(try await shop.alice.json(.get, "/tasks?status=review")["total"] == 0)
            #expect(try await shop.alice.json(.get, "/tasks?status=,")["total"] == 1)
        }
    }

    @Test func `bodies are read in either spelling of their keys`() async throws {
        try await Shop.with { shop in
            let created = try await shop.alice.send(
                .post,
                "/tasks",
                #"{"title":"x","assignedTo":"carol","dueDate":"2026-03-01","estimatedHours":3,"tenantId":"tenant-b"}"#
            )
            let task = try JSONParser.parse(created.body)
            #expect(task["assigned_to"] == "carol")
            #expect(task["due_date"] == "2026-03-01T00:00:00Z")
            #expect(task["estimated_hours"] == 3)
            #expect(task["tenant_id"] == "tenant-a")
            #expect(created.headers[.xIgnoredFields] == nil)
            let id = task["id"]?.string ?? ""
            let changed = try await shop.alice.json(.patch, "/tasks/\(id)", #"{"assignedTo":null,"actualHours":4}"#)
            #expect(changed["assigned_to"] == .null)
            #expect(changed["actual_hours"] == 4)
            let many = #"{"taskIds":["\#(id)"],"assignedTo":"dave"}"#
            #expect(try await shop.alice.json(.patch, "/tasks/bulk", many)["updated"] == 1)
            #expect(try await shop.alice.json(.get, "/tasks/\(id)")["assigned_to"] == "dave")
        }
    }

    @Test func `an empty id is none`() async throws {
        try await Shop.with { shop in
            let task = try await shop.alice.json(.post, "/tasks", #"{"id":"","title":"x"}"#)
            #expect(task["id"]?.string?.count == 36)
        }
    }

    @Test(
        arguments: [
            ("comments", #"{}"#, "comment", "is required"),
            ("comments", #"{"content":" "}"#, "content", "must not be empty"),
            ("comments", #"{"content":5}"#, "content", "must be a text"), ("time", #"{}"#, "hours", "is required"),
            ("time", #"{"minutes":null}"#, "minutes", "must not be null"),
            ("time", #"{"minutes":1.5}"#, "minutes", "must be a whole number"),
            ("time", #"{"minutes":2147483647}"#, "minutes", "is out of range"),
            ("time", #"{"minutes":-1}"#, "minutes", "must not be negative"),
            ("time", #"{"hours":-1}"#, "hours", "must not be negative"),
        ]
    )
    func `one fault is told once`(kind: String, body: String, field: String, reason: String) async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            _ = try await shop.alice.send(.post, "/tasks/\(id)/time", #"{"minutes":1}"#)
            let error = try await shop.alice.json(.post, "/tasks/\(id)/\(kind)", body)
            #expect(error["details"] == .object([field: .string(reason)]))
        }
    }

    @Test func `what a hook refuses is named beside the other faults`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            let body = #"{"minutes":-1,"description":5,"entry_date":"x"}"#
            let error = try await shop.alice.json(.post, "/tasks/\(id)/time", body)
            #expect(error["details"]?.object?.keys.sorted() == ["description", "entry_date", "minutes"])
        }
    }

    @Test func `comments carry both spellings and are counted on the task`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            let created = try await shop.alice.send(.post, "/tasks/\(id)/comments", #"{"content":"Hello"}"#)
            #expect(created.status == .created)
            let comment = try JSONParser.parse(created.body)
            #expect(comment["content"] == "Hello")
            #expect(comment["comment"] == "Hello")
            #expect(comment["user_id"] == "alice")
            #expect(comment["task_id"] == .string(id))
            #expect(
                try await shop.alice.send(.post, "/tasks/\(id)/comments", #"{"comment":"Again"}"#).status == .created
            )
            #expect(try await shop.alice.json(.get, "/tasks/\(id)/comments")["total"] == 2)
            #expect(try await shop.alice.json(.get, "/tasks/\(id)")["comment_count"] == 2)
            #expect(
                try await shop.alice.send(.post, "/tasks/\(id)/comments", #"{"content":" "}"#).status == .badRequest
            )
            #expect(try await shop.alice.send(.post, "/tasks/none/comments", #"{"content":"x"}"#).status == .notFound)
            #expect(try await shop.alice.send(.get, "/tasks/none/comments").status == .notFound)
        }
    }

    @Test func `tracked minutes carry both spellings and add up on the task`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask()
            let entry = try await shop.alice.json(.post, "/tasks/\(id)/time", #"{"minutes":30,"description":"d"}"#)
            #expect(entry["minutes"] == 30)
            #expect(entry["hours"] == 30)
            #expect(entry["user_id"] == "alice")
            _ = try await shop.alice.json(.post, "/tasks/\(id)/time", #"{"hours":15}"#)
            #expect(try await shop.alice.json(.get, "/tasks/\(id)")["time_tracked"] == 45)
        }
    }
}
