import Testing

@testable import SwiftletPostgres

@Suite struct InlineStatementsTests {
    @Test func `gives one statement per text`() throws {
        let cache = InlineStatements()
        let first = try cache.statement(for: SQL(text: "SELECT 1"))
        #expect(first.isReadOnly)
        #expect(try cache.statement(for: SQL(text: "SELECT 1")) === first)
        #expect(try cache.statement(for: SQL(text: "SELECT 2")) !== first)
        #expect(try !cache.statement(for: SQL(text: "DELETE FROM t")).isReadOnly)
    }

    @Test func `keeps what is in use and drops what is not`() throws {
        let cache = InlineStatements(limit: 4)
        let used = try cache.statement(for: SQL(text: "SELECT 1"))
        for index in 0..<20 {
            _ = try cache.statement(for: SQL(text: "SELECT \(index) + 100"))
            #expect(try cache.statement(for: SQL(text: "SELECT 1")) === used)
        }
        weak let idle = try cache.statement(for: SQL(text: "SELECT 100"))
        #expect(idle != nil)
        for index in 0..<20 { _ = try cache.statement(for: SQL(text: "SELECT \(index) + 200")) }
        #expect(idle == nil)
    }
}
