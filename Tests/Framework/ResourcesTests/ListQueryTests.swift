import SwiftletHTTP
import SwiftletPostgres
import Testing

@testable import SwiftletResources
import SwiftletWeb

/// However often a client repeats a parameter, the statement has one term for each that is declared.
@Suite struct ListQueryTests {
    @Test(arguments: [
        ("search=a&search=b", [Condition.Shape.shortSearch], "%b%"),
        ("search=a&search=abc", [Condition.Shape.search], "%abc%"),
        ("due_after=2024-01-01&dueAfter=2025-01-01", [.atLeast("due")], "2025-01-01"),
        ("due_before=2024-01-01&due_before=2025-01-01", [.before("due")], "2025-01-01"),
        ("my=true&my=1&my=true", [.equals("owner")], "ann"),
    ])
    func `of several searches and ranges, the last counts`(
        query: String,
        shapes: [Condition.Shape],
        value: String
    ) throws {
        let list = try list(query)
        #expect(list.conditions.shapes == shapes)
        #expect(list.conditions.map(\.value) == [value])
    }

    @Test func `a filter takes all of its values`() throws {
        let list = try list("state=new&state=open,done")
        #expect(list.conditions.shapes == [.anyOf("state")])
        #expect(list.conditions.map(\.value) == [ArrayLiteral.text(["new", "open", "done"])])
    }

    @Test func `a column is sorted by once`() throws {
        let list = try list("sort=-due,state,due,-due,state")
        #expect(
            list.order == [
                SortKey(column: "due", isDescending: true), SortKey(column: "state", isDescending: false),
            ]
        )
    }

    @Test(arguments: [
        ("view=my", [Condition.Shape.equals("owner")], ["ann"]), ("view=MY&my=true", [.equals("owner")], ["ann"]),
        ("view=unassigned", [.isNull("owner")], []), ("view=all", [], []), ("view=", [], []),
    ])
    func `a view is of the caller's rows, or of nobody's`(
        query: String,
        shapes: [Condition.Shape],
        values: [String]
    ) throws {
        let list = try list(query)
        #expect(list.conditions.shapes == shapes)
        #expect(list.conditions.filter(\.shape.bindsValue).map(\.value) == values)
        #expect(throws: APIError.validation(["view": "must be one of my, unassigned, all"])) {
            try self.list("view=theirs")
        }
    }

    private func list(_ query: String) throws -> ListQuery {
        let resource = Resource("jobs", scope: .tenant) {
            Search("state", "owner")
            Filter("state")
            FilterByCaller("my", on: "owner")
            FilterByView("view", on: "owner")
            RangeFilter("due", on: "due")
        }
        let request = try Request(target: "/jobs?\(query)")
        return try ListQuery(request.query, resource.plan(in: Self.schema), caller: "ann")
    }

    private static let schema: Schema = {
        let text = ColumnType(oid: 25, name: "text", category: .text)
        let columns = ["id", "tenant_id", "state", "owner", "due"].map { Column(name: $0, type: text) }
        return Schema(version: 1, tables: ["jobs": Table(name: "jobs", columns: columns, primaryKey: ["id"])])
    }()
}
