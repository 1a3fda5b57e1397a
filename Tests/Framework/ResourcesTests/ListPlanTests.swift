import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletResources

/// How PostgreSQL plans lists.
@Suite(.needsDatabase, .hangLimit)
struct ListPlanTests {
    @Test func `the first page is planned once, not for each request`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(
            """
            CREATE TABLE notes (id int PRIMARY KEY, tenant_id text NOT NULL, created_at timestamptz NOT NULL);
            INSERT INTO notes SELECT n, 't' || n % 10, now() - n * interval '1 s' FROM generate_series(1, 20000) AS n;
            CREATE INDEX ON notes (tenant_id, created_at DESC, id);
            ANALYZE notes
            """
        )
        let plan = Resource("notes", scope: .tenant).plan(in: Self.schema)
        let table = try #require(plan.table)
        var sql = ResourceSQL(plan, table)
        let order = [SortKey(column: "created_at", isDescending: true)]
        let text = sql.list([.equals("tenant_id")], order, limit: Paging().usualLimit, isAtStart: Paging().isAtStart)
        try connection.execute("PREPARE list (text) AS \(text)")
        for _ in 0..<8 { try connection.execute("EXECUTE list ('t1')") }
        let plans = try connection.query("SELECT generic_plans FROM pg_prepared_statements WHERE name = 'list'")
        #expect(plans.first?[0] == "3")
    }

    private static let schema: Schema = {
        let text = ColumnType(oid: 25, name: "text", category: .text)
        let columns = ["id", "tenant_id", "created_at"].map { Column(name: $0, type: text) }
        let table = Table(name: "notes", columns: columns, primaryKey: ["id"])
        return Schema(version: 1, tables: ["notes": table])
    }()
}
