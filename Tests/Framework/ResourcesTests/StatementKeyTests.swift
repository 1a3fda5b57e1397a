import SwiftletJSON
import SwiftletPostgres
import Testing

@testable import SwiftletResources
import SwiftletWeb

@Suite struct StatementKeyTests {
    @Test(arguments: [
        #"{"title":"x","due":"2024-01-15","notes":"y"}"#, #"{"notes":"y","due":"2024-01-15","title":"x"}"#,
        #"{"due":"2024-01-15","notes":"y","title":"x"}"#,
    ])
    func `is the same whatever the order of a body's keys`(body: String) throws {
        let plan = Resource("notes", scope: .tenant).plan(in: Self.schema)
        let table = try #require(plan.table)
        let object = try #require(try JSONParser.parse(Array(body.utf8)).object)
        var change = WriteBody(object, .create, plan, table).change
        change.setNow("seen")
        change.setNow("read")
        var bound = try BoundChange(change, plan, table)
        bound.stamp("tenant_id", with: "a")
        bound.stamp("title", with: "z")
        #expect(bound.columns == ["due", "notes", "title", "tenant_id"])
        #expect(bound.values == ["2024-01-15", "y", "z", "a"])
        #expect(bound.nowColumns == ["read", "seen"])
    }

    @Test func `what is used stays, however many others are made`() {
        let cache = KeyedStatements()
        let used = StatementKey(verb: .insert, columns: ["used"])
        let statement = cache.statement(used) { "1" }
        for number in 0..<2_000 {
            let other = StatementKey(verb: .insert, columns: ["column_\(number)"])
            _ = cache.statement(other) { "2" }
            #expect(cache.statement(used) { "1" } === statement)
        }
    }

    private static let schema: Schema = {
        let text = ColumnType(oid: 25, name: "text", category: .text)
        let names = ["id", "tenant_id", "title", "due", "notes", "seen", "read"]
        let table = Table(name: "notes", columns: names.map { Column(name: $0, type: text) }, primaryKey: ["id"])
        return Schema(version: 1, tables: ["notes": table])
    }()
}
