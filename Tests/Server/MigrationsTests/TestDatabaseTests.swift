import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct TestDatabaseTests {
    @Test func `gives every caller a database of its own`() throws {
        let first = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        let second = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        try first.execute("CREATE TABLE mine (value integer); INSERT INTO mine VALUES (42)")
        #expect(try first.query("SELECT value, NULL FROM mine WHERE value > $1", ["41"]) == [["42", nil]])
        #expect { try second.query("SELECT value FROM mine") } throws: {
            ($0 as? BlockingConnectionError)?.state == "42P01"
        }
    }
}
