package import SwiftletPostgres

/// The place of a change in the log: its slot's epoch, where its transaction's commit is logged, and its number within
/// the transaction. It stays the same whatever crashes.
package struct ChangePosition: Hashable, Comparable, Sendable {
    package let epoch: Int
    package let commit: LogSequenceNumber
    package let index: Int

    package init(epoch: Int, commit: LogSequenceNumber, index: Int) {
        self.epoch = epoch
        self.commit = commit
        self.index = index
    }

    package static func < (left: ChangePosition, right: ChangePosition) -> Bool {
        (left.epoch, left.commit, left.index) < (right.epoch, right.commit, right.index)
    }
}

extension ChangePosition: LosslessStringConvertible {
    /// For clients, to whom it means nothing: `1.00000000016B3748.3`.
    package init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.allSatisfy { $0 != 0x2B && $0 != 0x2D } }),
            let epoch = Int(parts[0]), parts[1].utf8.count == 16, let commit = UInt64(parts[1], radix: 16),
            let index = Int32(parts[2])
        else { return nil }
        self.init(epoch: epoch, commit: LogSequenceNumber(rawValue: commit), index: Int(index))
    }

    package var description: String {
        let digits = String(commit.rawValue, radix: 16, uppercase: true)
        return "\(epoch).\(String(repeating: "0", count: 16 - digits.count))\(digits).\(index)"
    }
}
