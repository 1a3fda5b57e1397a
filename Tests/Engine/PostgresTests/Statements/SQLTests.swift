import Testing

@testable import SwiftletPostgres

@Suite struct SQLTests {
    @Test func `values become numbered parameters`() {
        let name = "O'Brien; DROP TABLE tasks"
        let sql: SQL = "SELECT id FROM tasks WHERE name = \(name) AND done = \(true) LIMIT \(25)"
        #expect(sql.text == "SELECT id FROM tasks WHERE name = $1 AND done = $2 LIMIT $3")
        #expect(sql.parameters.texts == [name, "t", "25"])
    }

    @Test func `a text without values has no parameters`() {
        let sql: SQL = "SELECT 1"
        #expect(sql.text == "SELECT 1")
        #expect(sql.parameters.count == 0)
    }

    @Test func `an absent value is NULL`() {
        let missing: String? = nil
        let number: Int? = nil
        let sql: SQL = "INSERT INTO t VALUES (\(missing), \(number))"
        #expect(sql.text == "INSERT INTO t VALUES ($1, $2)")
        #expect(sql.parameters.texts == [nil, nil])
    }

    @Test func `a spliced statement has its parameters renumbered`() {
        let condition: SQL = "owner = \("a") OR owner = \("b")"
        let sql: SQL = "SELECT * FROM t WHERE x = \(1) AND (\(condition)) LIMIT \(2)"
        #expect(sql.text == "SELECT * FROM t WHERE x = $1 AND (owner = $2 OR owner = $3) LIMIT $4")
        #expect(sql.parameters.texts == ["1", "a", "b", "2"])
    }

    @Test func `a marked scope is kept, also in a spliced statement`() {
        var interpolation = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: 1)
        interpolation.appendLiteral("tenant_id = ")
        interpolation.markScope("t1")
        interpolation.appendInterpolation("t1")
        let scoped = SQL(stringInterpolation: interpolation)
        let sql: SQL = "SELECT * FROM t WHERE \(scoped)"
        #expect(sql.boundScopes == ["t1"])
        #expect(sql.text == "SELECT * FROM t WHERE tenant_id = $1")
    }

    @Test(arguments: [
        (["a", "b"], #"{"a","b"}"#),
        ([], "{}"),
        ([#"say "hi" \ {x,y}"#], #"{"say \"hi\" \\ {x,y}"}"#),
        (["NULL"], #"{"NULL"}"#),
    ])
    func `a list of texts is one array parameter`(list: [String], literal: String) {
        let sql: SQL = "SELECT * FROM t WHERE id = ANY(\(list))"
        #expect(sql.text == "SELECT * FROM t WHERE id = ANY($1)")
        #expect(sql.parameters.texts == [literal])
        #expect(ArrayLiteral.parse(Array(literal.utf8).span) == list.map { Array($0.utf8) })
    }
}
