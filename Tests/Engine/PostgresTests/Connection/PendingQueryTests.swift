import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

@Suite struct PendingQueryTests {
    @Test func `no two attempts have the same number, whichever of them is current`() {
        let pending = PendingQuery(Statement("SELECT 1", isReadOnly: true), .none, deadline: .distantFuture)
        for expected: UInt32 in 1...3 {
            pending.markSent()
            #expect(pending.attempt == expected)
        }
        pending.goBack(toAttempt: 1)
        #expect(pending.attempt == 1)
        pending.markSent()
        #expect(pending.attempt == 4)
    }
}
