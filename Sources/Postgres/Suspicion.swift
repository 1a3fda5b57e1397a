/// Guesses which query of a batch is the slow one.
enum Suspicion {
    /// Orders the queries from the least to the most suspicious. Shapes that are rare in the batch are suspected first: a
    /// common one would have been noticed in earlier batches. The last query is the one to leave where it is.
    static func order(_ batch: [PendingQuery]) -> [PendingQuery] {
        var counts: [Int: Int] = [:]
        for pending in batch { counts[pending.statement.slot, default: 0] += 1 }
        return batch.sorted { left, right in
            (counts[left.statement.slot] ?? 0) > (counts[right.statement.slot] ?? 0)
        }
    }
}
