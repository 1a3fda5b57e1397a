import Foundation
import SwiftletHTTP
import SwiftletTesting
import Testing

/// Every answer of tasks and notifications through the app's own models.
@Suite(
    .needsDatabase,
    .hangLimit
)
struct AppTests {
    private static func decode<Value: Decodable>(
        _ caller: Shop.Caller,
        _ method: SwiftletHTTP.Method,
        _ target: String,
        _ body: String = "",
        is status: Status = .ok
    ) async throws -> Value {
        let headers: [(Headers.Name, String)] = [("Content-Type", "application/json"), ("X-Client", "printyx-ios")]
        let response = try await caller.send(method, target, body, headers: headers)
        #expect(response.status == status, "\(method.rawValue) \(target)")
        return try AppCoding.decoder.decode(Value.self, from: Data(response.body))
    }

    @Test func `the life of a task`() async throws {
        try await Shop.with { shop in
            let due = Date(timeIntervalSince1970: 1_767_225_600)
            let new = AppNewTask(title: "Call Ada", priority: .high, dueDate: due, estimatedHours: 2, tags: ["a", "b"])
            let body = String(decoding: try AppCoding.encoder.encode(new), as: UTF8.self)
            let made: AppTask = try await Self.decode(shop.alice, .post, "/api/tasks", body, is: .created)
            #expect(
                made.title == "Call Ada" && made.dueDate == due && made.tags == ["a", "b"] && made.estimatedHours == 2
            )
            let path = "/api/tasks/\(made.id)"

            let comment: AppTaskComment = try await Self.decode(
                shop.alice,
                .post,
                "\(path)/comments",
                #"{"content":"Done soon"}"#,
                is: .created
            )
            #expect(comment.content == "Done soon")
            #expect(comment.taskId == made.id)
            #expect(comment.userId == "alice")
            let time: AppTaskTimeLog = try await Self.decode(
                shop.alice,
                .post,
                "\(path)/time",
                #"{"minutes":45,"description":"on the phone"}"#,
                is: .created
            )
            #expect(time.minutes == 45)
            let comments: AppPage<AppTaskComment> = try await Self.decode(shop.alice, .get, "\(path)/comments")
            #expect(comments.data.count == 1)

            let complete = #"{"status":"completed","completion_percentage":100}"#
            let done: AppTask = try await Self.decode(shop.alice, .patch, path, complete)
            #expect(done.status == .completed)
            #expect(done.completedAt != nil)
            let read: AppTask = try await Self.decode(shop.alice, .get, path)
            #expect(read.timeTracked == 45)
            #expect(read.commentCount == 1)
            #expect(read.customFields == [:])
            let stats: AppTaskStats = try await Self.decode(shop.alice, .get, "/api/tasks/stats?my=true")
            #expect(stats.total == 0)
            let all: AppTaskStats = try await Self.decode(shop.alice, .get, "/api/tasks/stats")
            #expect(all.total == 1)
            #expect(all.completed == 1)
        }
    }

    @Test func `a list in which other clients have left what they pleased`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                INSERT INTO tasks (id, tenant_id, title, created_by, status, priority, tags, dependencies, custom_fields,
                                   due_date, created_at)
                VALUES
                ('t1', 'tenant-a', 'x', 'alice', 'blocked', 'critical', '{a,NULL,"NULL"}', '[1, "two", null, true]',
                 '{"floor": 3, "lift": true, "none": null, "deep": {"a": [1]}, "at": "2024-01-15T10:30:00.5"}',
                 '2024-01-15 10:30:00.123456', '2024-01-15 10:30:00.9'),
                ('t2', 'tenant-a', 'y', 'alice', 'no such word', 'nor this', '{}', '"text"', '[]', NULL, now()),
                ('t3', 'tenant-a', 'z', 'alice', 'todo', 'low', NULL, NULL, NULL, NULL, now())
                """
            )
            let list: AppPage<AppTask> = try await Self.decode(shop.alice, .get, "/tasks?page=1&limit=25&sort=id")
            #expect(list.total == 3)
            #expect(list.page == 1)
            #expect(list.limit == 25)
            #expect(list.hasMore == false)
            let first = try #require(list.data.first)
            #expect(first.tags == ["a", "NULL"])
            #expect(first.dependencies == ["1", "two", "true"])
            #expect(
                first.customFields
                    == ["floor": "3", "lift": "true", "deep": #"{"a":[1]}"#, "at": "2024-01-15T10:30:00Z"]
            )
            #expect(first.status == .inProgress)
            #expect(first.priority == .urgent)
            #expect(list.data[1].status == .todo)
            #expect(list.data[1].priority == .medium)
            #expect(list.data[1].dependencies == nil)
            #expect(list.data[1].customFields == nil)
            #expect(list.data[2].tags == nil)
        }
    }

    @Test func `notifications, a page of them`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                INSERT INTO user_notifications (tenant_id, user_id, title, message)
                SELECT 'tenant-a', 'alice', 'T' || n, 'M' FROM generate_series(1, 30) n
                """
            )
            let page: AppPage<AppNotification> = try await Self.decode(
                shop.alice,
                .get,
                "/api/notifications?page=2&limit=25"
            )
            #expect(page.data.count == 5)
            #expect(page.total == 30)
            #expect(page.unread == 30)
            let one: AppNotification = try await Self.decode(
                shop.alice,
                .patch,
                "/api/notifications/\(page.data[0].id)/read"
            )
            #expect(one.isRead == true)
        }
    }

    @Test(arguments: [
        (SwiftletHTTP.Method.get, "/tasks/none", "", Status.notFound), (.post, "/tasks", "{", .badRequest),
        (.post, "/tasks", #"{"title":7,"status":"later","estimated_hours":"2"}"#, .badRequest),
        (.get, "/nothing", "", .notFound), (.put, "/tasks/stats", "{}", .methodNotAllowed),
    ])
    func `refusals can be read`(method: SwiftletHTTP.Method, target: String, body: String, status: Status) async throws
    {
        try await Shop.with { shop in
            let error: AppError = try await Self.decode(shop.alice, method, target, body, is: status)
            #expect(error.message?.isEmpty == false)
            #expect(error.error == error.message)
            #expect(error.requestId != nil)
        }
    }
}
