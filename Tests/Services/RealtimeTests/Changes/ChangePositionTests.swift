import SwiftletPostgres
import Testing

@testable import SwiftletRealtime

@Suite struct ChangePositionTests {
    @Test func `a position reads as it was written, and sorts by epoch, commit and number`() throws {
        let position = ChangePosition(epoch: 7, commit: LogSequenceNumber(rawValue: 0x16B_3748), index: 3)
        #expect(position.description == "7.00000000016B3748.3")
        #expect(ChangePosition(position.description) == position)
        let later = [
            ChangePosition(epoch: 7, commit: position.commit, index: 10),
            ChangePosition(epoch: 7, commit: LogSequenceNumber(rawValue: 0x16B_3749), index: 1),
            ChangePosition(epoch: 8, commit: .zero, index: 0),
        ]
        #expect(later.allSatisfy { $0 > position })
        #expect(later.sorted() == later)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.00000000016B3748", "1.00000000016B3748.3.4", "a.00000000016B3748.3",
        "1.0000000001 B3748.3", "1.00000000016B3748.-3", "+1.00000000016B3748.3", "1.00000000016B3748.99999999999",
        "99999999999999999999.00000000016B3748.3",
    ])
    func `what is no position is refused`(text: String) {
        #expect(ChangePosition(text) == nil)
    }
}
