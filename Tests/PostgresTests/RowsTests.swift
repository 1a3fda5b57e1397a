import Testing

@testable import Postgres

@Suite struct RowsTests {
    private func sample() -> Rows {
        Rows.make(
            columns: [.init("id", type: 23), .init("name"), .init("tags", type: 1009), .init("done", type: 16)],
            rows: [["1", "Ann", #"{a,"b c"}"#, "t"], ["2", nil, "{}", "f"]]
        )
    }

    @Test func `cells are borrowed by place`() {
        let rows = sample()
        #expect(rows.count == 2)
        #expect(rows.columnCount == 4)
        #expect(rows.columnName(1) == "name")
        #expect(rows.columnType(0) == 23)
        #expect(rows.text(0, 1) == "Ann")
        #expect(rows.text(1, 1) == nil)
        #expect(rows.text(1, 2) == "{}")
    }

    @Test(arguments: [(2, 0), (-1, 0), (0, 4), (.max, .max)])
    func `a place outside the result is NULL and empty`(row: Int, column: Int) {
        let rows = sample()
        let isNull = rows.isNull(row, column)
        let isEmpty = rows.cell(row, column).isEmpty
        #expect(isNull)
        #expect(isEmpty)
    }

    @Test func `a copied row outlives the result`() throws {
        let copies = CopiedResult.rows(of: sample())
        try #require(copies.count == 2)
        #expect(try copies[0].decode(Int.self, "id") == 1)
        #expect(try copies[0].decode(String.self, "name") == "Ann")
        #expect(try copies[0].decode([String].self, "tags") == ["a", "b c"])
        #expect(try copies[1].decode([String].self, "tags") == [])
        #expect(try copies[0].decode(Bool.self, "done"))
        #expect(try copies[1].decode(String?.self, "name") == nil)
        #expect(copies[1]["id"] == "2")
        #expect(copies[1]["nothing"] == nil)
    }

    @Test func `a value of another type or NULL names its column`() throws {
        let copies = CopiedResult.rows(of: sample())
        let wrong = #expect(throws: PostgresError.self) { try copies[0].decode(Int.self, "name") }
        #expect(wrong?.kind == .decoding)
        #expect(wrong?.column == "name")
        let missing = #expect(throws: PostgresError.self) { try copies[1].decode(String.self, "name") }
        #expect(missing?.column == "name")
        #expect(throws: PostgresError.self) { try copies[0].decode(String.self, "nothing") }
    }
}
