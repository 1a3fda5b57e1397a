import SwiftletTesting
import Testing

@testable import SwiftletPostgres

@Suite(.needsDatabase, .hangLimit)
struct RowsTests {
    private func sample() async throws -> Rows {
        let box = try await TestPool.returning { pool in
            let statement = Statement(
                """
                SELECT * FROM (VALUES (1, 'Ann', '{a,b c}'::text[], true), (2, NULL, '{}', false))
                    AS people (id, name, tags, done)
                """,
                isReadOnly: true
            )
            return RowsBox(try await pool.database.query(statement, .none))
        }
        return try box.take()
    }

    @Test func `cells are borrowed by place`() async throws {
        let rows = try await sample()
        #expect(rows.count == 2)
        #expect(rows.columnCount == 4)
        #expect(rows.columnName(1) == "name")
        #expect(rows.text(0, 1) == "Ann")
        #expect(rows.text(1, 1) == nil)
        #expect(rows.text(1, 2) == "{}")
    }

    @Test(arguments: [(2, 0), (-1, 0), (0, 4), (1 << 32, 0), (0, 1 << 32), (.max, .max)])
    func `a place outside the result is NULL and empty`(row: Int, column: Int) async throws {
        let rows = try await sample()
        let isNull = rows.isNull(row, column)
        let isEmpty = rows.cell(row, column).isEmpty
        #expect(isNull)
        #expect(isEmpty)
    }

    @Test(arguments: [2, -1, 1 << 32])
    func `all cells of a row outside the result are NULL`(row: Int) async throws {
        let rows = try await sample()
        let areNull = unsafe withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 4) { cells in
            unsafe rows.readCells(of: row, into: cells)
            return unsafe cells.allSatisfy { unsafe $0.baseAddress == nil }
        }
        #expect(areNull)
    }

    @Test func `a copied row outlives the result`() async throws {
        let copies = CopiedResult.rows(of: try await sample())
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

    @Test func `a value of another type or NULL names its column`() async throws {
        let copies = CopiedResult.rows(of: try await sample())
        let wrong = #expect(throws: PostgresError.self) { try copies[0].decode(Int.self, "name") }
        #expect(wrong?.kind == .decoding)
        #expect(wrong?.column == "name")
        let missing = #expect(throws: PostgresError.self) { try copies[1].decode(String.self, "name") }
        #expect(missing?.column == "name")
        #expect(throws: PostgresError.self) { try copies[0].decode(String.self, "nothing") }
    }
}
