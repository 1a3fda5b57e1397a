import Testing

@testable import Postgres

@Suite struct InlineStatementsTests {
    @Test func `gives one statement per text`() {
        let cache = InlineStatements()
        let first = cache.statement(for: "SELECT 1")
        #expect(first.isReadOnly)
        #expect(cache.statement(for: "SELECT 1") === first)
        #expect(cache.statement(for: "SELECT 2") !== first)
        #expect(!cache.statement(for: "DELETE FROM t").isReadOnly)
    }

    @Test func `keeps what is in use and drops what is not`() {
        let cache = InlineStatements(limit: 4)
        let used = cache.statement(for: "SELECT 1")
        for index in 0..<20 {
            _ = cache.statement(for: "SELECT \(index) + 100")
            #expect(cache.statement(for: "SELECT 1") === used)
        }
        weak let idle = cache.statement(for: "SELECT 100")
        #expect(idle != nil)
        for index in 0..<20 { _ = cache.statement(for: "SELECT \(index) + 200") }
        #expect(idle == nil)
    }
}
