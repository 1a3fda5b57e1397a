/// Which of several queries in one batch is the one that takes so long?
enum Suspicion {
    /// From the least to the most suspicious. What is rare in the batch is suspected first: were a common shape the slow
    /// one, the batch would not have been the first to show it. The last one is best left where it is.
    static func order(_ batch: [PendingQuery]) -> [PendingQuery] {
        var counts: [Int: Int] = [:]
        for pending in batch { counts[pending.statement.slot, default: 0] += 1 }
        return batch.sorted { left, right in
            (counts[left.statement.slot] ?? 0) > (counts[right.statement.slot] ?? 0)
        }
    }
}
