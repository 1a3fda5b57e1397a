import SwiftletPostgres
import SwiftletWeb
import Testing

@testable import SwiftletRest

@Suite struct StatementCacheTests {
    private func text(_ sql: String) -> StatementText {
        var text = StatementText()
        text.add(sql)
        return text
    }

    @Test func `makes each shape once for a role`() {
        let statements = StatementCache()
        let first = statements.call(text("SELECT 1"), role: "anon", isReadOnly: true).statement
        #expect(statements.call(text("SELECT 1"), role: "anon", isReadOnly: true).statement === first)
        #expect(statements.call(text("SELECT 1"), role: "authenticated", isReadOnly: true).statement !== first)
    }

    /// What is kept here stays prepared on every connection, in the memory of the database.
    @Test func `keeps fewer of long ones`() {
        let statements = StatementCache()
        func isKept(afterTextsOf bytes: Int) -> Bool {
            weak var statement: Statement?
            statement = statements.call(text("SELECT \(bytes)"), isReadOnly: true).statement
            for number in 0..<200 {
                _ = statements.call(
                    text("SELECT \(number), '" + String(repeating: "a", count: bytes) + "'"),
                    isReadOnly: true
                )
            }
            return statement != nil
        }
        #expect(isKept(afterTextsOf: 100))
        #expect(!isKept(afterTextsOf: 8000))
    }
}
