import SwiftletHTTP
import SwiftletPostgres
import Testing

@testable import SwiftletRest

@Suite struct OverloadTests {
    @Test func `only who has waited for a connection is told so`() {
        let waited = RestError(.waitedTooLong, isAnonymous: false)
        #expect((waited.status.rawValue, waited.code) == (504, "PGRST003"))
        #expect(waited.message == "Timed out acquiring connection from connection pool.")
        #expect(waited.headers.isEmpty)
        let refused = RestError(.overloaded, isAnonymous: false)
        #expect((refused.status.rawValue, refused.code) == (503, "PGRST003"))
        #expect(refused.headers.map(\.1) == ["1"])
        #expect(refused.headers.map(\.0) == ["Retry-After"])
    }
}
