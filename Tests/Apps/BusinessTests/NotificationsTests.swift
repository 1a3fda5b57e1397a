import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@Suite(
    .needsDatabase,
    .hangLimit
)
struct NotificationsTests {
    private static let rows = """
        INSERT INTO user_notifications (id, tenant_id, user_id, type, title, message, read, metadata, created_at)
        SELECT ('00000000-0000-7000-8000-00000000000' || n)::uuid, 'tenant-a',
               CASE WHEN n < 5 THEN 'alice' ELSE 'carol' END, 'task_due', 'T' || n, 'M', n = 1,
               '{"seen":"2024-01-15T10:30:00.5+02:00"}', timestamp '2024-01-01' + n * interval '1 hour'
        FROM generate_series(1, 6) n
        """

    @Test func `a user sees only their own, with the number of unread`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(Self.rows)
            let list = try await shop.alice.json(.get, "/notifications?page=2&limit=3")
            #expect(list["total"] == 4)
            #expect(list["unread"] == 3)
            #expect(list["page"] == 2)
            #expect(list["data"]?.array?.count == 1)
            let item = list["data"]?[0]
            #expect(item?["is_read"] == true)
            #expect(item?["read"] == nil)
            #expect(item?["title"] == "T1")
            #expect(item?["metadata"]?["seen"] == "2024-01-15T08:30:00Z")
            let unread = try await shop.alice.json(.get, "/notifications?isRead=false")
            #expect(unread["total"] == 3)
            #expect(unread["unread"] == 3)
            #expect(try await shop.bob.json(.get, "/notifications")["total"] == 0)
        }
    }

    @Test func `one or all are marked as read, and nobody else's`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(Self.rows)
            let one = try await shop.alice.json(.patch, "/notifications/00000000-0000-7000-8000-000000000002/read")
            #expect(one["is_read"] == true)
            #expect(one["read_at"]?.string?.hasSuffix("Z") == true)
            let carols = try await shop.alice.send(.patch, "/notifications/00000000-0000-7000-8000-000000000005/read")
            #expect(carols.status == .notFound)
            #expect(try await shop.alice.send(.patch, "/notifications/not-a-uuid/read").status == .notFound)
            #expect(try await shop.alice.send(.patch, "/notifications/read-all").status == .ok)
            #expect(try await shop.alice.json(.get, "/notifications")["unread"] == 0)
            let carol = Shop.Caller(
                server: shop.server,
                token: try TestApplication.token(tenant: "tenant-a", user: "carol")
            )
            #expect(try await carol.json(.get, "/notifications")["unread"] == 2)
        }
    }

    @Test func `a database without the table has an empty list`() async throws {
        try await Shop.with { shop in
            try shop.server.execute("DROP TABLE user_notifications")
            let list = try await shop.alice.send(.get, "/notifications")
            #expect(list.status == .ok)
            let page = try JSONParser.parse(list.body)
            #expect(page["data"] == .array([]))
            #expect(page["total"] == 0)
            #expect(page["unread"] == 0)
            #expect(page["page"] == 1)
            #expect(page["limit"] == 25)
            #expect(page["has_more"] == false)
            #expect(try await shop.alice.send(.patch, "/notifications/read-all").status == .ok)
        }
    }
}
