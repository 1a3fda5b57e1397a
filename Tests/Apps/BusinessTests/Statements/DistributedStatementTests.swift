import Swiftlet
import SwiftletBusiness
import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

/// Every statement that the functions send could be answered by one node of a database that is distributed by tenant.
@Suite(.needsDatabase, .hangLimit)
struct DistributedStatementTests {
    @Test(arguments: [
        "SELECT a.id FROM tasks a WHERE a.tenant_id = $1", "SELECT id FROM tasks WHERE tenant_id = $1",
        "UPDATE \"public\".\"tasks\" AS t SET title = $1 WHERE t.tenant_id = $2 RETURNING t.\"id\", t.title",
        "INSERT INTO tasks AS t (id, tenant_id, due) VALUES ($1, $2, CAST(CAST($3 AS timestamptz) AS timestamp))",
        "SELECT (SELECT u.name FROM users u WHERE u.id = t.by AND u.tenant_id = t.tenant_id) FROM tasks t WHERE t.tenant_id = $1",
        "SELECT name FROM roles",
    ])
    func `takes what one node can answer`(statement: String) {
        #expect(StatementExamination(tables: ["tasks", "users"]).faults(statement) == [])
    }

    @Test(arguments: [
        "SELECT id FROM tasks", "SELECT a.id FROM tasks a WHERE tenant_id = $1",
        "SELECT a.id FROM tasks a JOIN users u ON u.id = a.by WHERE a.tenant_id = $1",
        "SELECT a.id FROM tasks a JOIN users u ON u.id = a.by AND u.tenant_id::text = a.tenant_id::text WHERE a.tenant_id = $1",
        "SELECT t.id, (SELECT count(*) FROM tasks o WHERE o.parent = t.id) FROM tasks t WHERE t.tenant_id = $1",
        "SELECT a.id FROM tasks a WHERE a.tenant_id = a.tenant_id",
        "INSERT INTO tasks (id, tenant_id) SELECT $1, $2", "INSERT INTO tasks (id) VALUES ($1)",
        "INSERT INTO tasks (id, tenant_id) VALUES ($1, coalesce($2, ''))",
        "INSERT INTO tasks (id, tenant_id) VALUES ($1, (SELECT $2))",
        "INSERT INTO tasks (id, tenant_id) VALUES ($1, $2) RETURNING id, (SELECT count(*) FROM roles)",
        "UPDATE tasks AS t SET title = $1 WHERE t.tenant_id = $2 RETURNING concat(t.id)",
        "WITH p AS (SELECT 1 FROM users WHERE tenant_id = $1) INSERT INTO tasks (id, tenant_id) VALUES ($2, $3)",
        "DELETE FROM tasks AS t WHERE t.id = $1",
    ])
    func `refuses what it cannot`(statement: String) {
        #expect(StatementExamination(tables: ["tasks", "users"]).faults(statement) != [])
    }

    /// Everything that is no row of one tenant: `users` is read by the id of whoever asks, and `tenants` and `roles`
    /// belong to nobody. `swiftlet migrate distribute` makes reference tables of them.
    private static let references: Set<String> = ["users", "tenants", "roles", "teams"]

    @Test func `no statement of the business app needs more than one tenant's node`() async throws {
        let queue = SpanQueue(limit: 100_000)
        let tracer = Tracer(TraceSampler(ratio: 1, followsParent: false), to: queue)
        try await TestApplication.with(business.functions, configure: { $0.tracer = tracer }) { server in
            let story = BusinessStory(
                boss: TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "bo", level: 5)),
                beginner: TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "ann"))
            )
            try await story.play()
            let statements = Set(
                queue.take(100_000).compactMap { span -> String? in
                    if case .text(let text)? = span["db.query.text"] { text } else { nil }
                }
            )
            let withTenant = server.database.schema.tables.values.filter { $0.column("tenant_id") != nil }.map(\.name)
            let tables = Set(withTenant).subtracting(Self.references)
            let examination = StatementExamination(tables: tables)
            for statement in statements.sorted() {
                let faults = examination.faults(statement)
                #expect(faults == [], "\(statement)")
            }
            // The examination means nothing of what it has not seen.
            let ours = tables.filter { BusinessStory.tables.contains($0) }
            let unseen = ours.filter { table in !statements.contains { $0.contains(table) } }
            #expect(unseen == [])
            #expect(statements.count > 150)
            #expect(story.asked.isSuperset(of: business.functions.map(\.name)))
        }
    }
}
