import SwiftletPostgres
import Testing

@testable import SwiftletWeb

@Suite struct APIErrorTests {
    @Test(arguments: [PostgresError.timeout, .connectionLostAfterSending])
    func `only of a change is the outcome unknown`(error: PostgresError) {
        let (change, read) = (APIError(error), APIError(error, isRead: true))
        #expect(change.message.contains("whether a change was made is unknown"))
        #expect(read.message.hasSuffix("; try again"))
        #expect(change.status == .serviceUnavailable)
        #expect(read.status == change.status)
        #expect(read.code == change.code)
    }
}
