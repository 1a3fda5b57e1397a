import Testing

@testable import SwiftletPostgres

@Suite struct PreparedStatementsTests {
    private let statement = Statement("SELECT 1", isReadOnly: true)

    @Test func `a statement is ready once it was prepared, and stale in another generation`() {
        var prepared = PreparedStatements()
        #expect(prepared.state(of: statement, generation: 0) == .missing)
        prepared.note(statement, generation: 0)
        #expect(prepared.state(of: statement, generation: 0) == .ready)
        #expect(prepared.state(of: statement, generation: 1) == .stale(id: statement.id))
    }

    @Test func `an outdated statement is stale, a cleared or forgotten one is missing`() {
        var prepared = PreparedStatements()
        prepared.note(statement, generation: 0)
        prepared.outdate(statement)
        #expect(prepared.state(of: statement, generation: 0) == .stale(id: statement.id))
        prepared.clear(statement)
        #expect(prepared.state(of: statement, generation: 0) == .missing)
        prepared.note(statement, generation: 0)
        prepared.forget(statement)
        #expect(prepared.state(of: statement, generation: 0) == .missing)
    }

    @Test func `a statement that nobody has prepared can be forgotten and outdated`() {
        var prepared = PreparedStatements()
        prepared.forget(statement)
        prepared.outdate(statement)
        #expect(prepared.state(of: statement, generation: 0) == .missing)
    }
}
