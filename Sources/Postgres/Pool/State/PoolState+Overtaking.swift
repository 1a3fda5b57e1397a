import EventLoop

/// What the pool does about a query that takes long and holds others up.
extension Pool {
    /// Sends nothing more to its connection, and retries the reads behind it on others.
    func overtake(_ slot: Slot) {
        guard let connection = slot.connection, !places[slot.index].isStuck else { return }
        places[slot.index].isStuck = true
        guard !places[slot.index].isHeld else { return cancelDuplicate(on: slot) }
        let (suspects, others) = connection.overtakable()
        retryElsewhere(others + Self.inOrderOfSuspicion(suspects).dropLast())
    }

    /// Orders the queries of a batch from the least to the most suspicious. Shapes that are rare in it are suspected
    /// first: a common one would have been noticed in earlier batches.
    private static func inOrderOfSuspicion(_ batch: [PendingQuery]) -> [PendingQuery] {
        var counts: [Int: Int] = [:]
        for pending in batch { counts[pending.statement.tableIndex, default: 0] += 1 }
        return batch.sorted { left, right in
            (counts[left.statement.tableIndex] ?? 0) > (counts[right.statement.tableIndex] ?? 0)
        }
    }

    /// A suspect that takes long again is what was slow on its first connection. It goes on there, and its retry is
    /// cancelled, because this connection is needed; the reads left behind it there are retried now.
    private func cancelDuplicate(on slot: Slot) {
        guard let pending = slot.lease?.query, pending.retries.contains(.overtaken), pending.others.isEmpty else {
            return
        }
        let elsewhere = slots.lazy.filter { $0 !== slot }.compactMap { slot in
            slot.connection.flatMap { connection in connection.attempt(of: pending).map { (connection, $0) } }
        }
        guard let (origin, attempt) = elsewhere.first else { return }
        pending.goBack(toAttempt: attempt)
        slot.cancelRunning()
        let (suspects, others) = origin.overtakable()
        retryElsewhere(suspects + others)
    }

    private func retryElsewhere(_ queries: [PendingQuery]) {
        for pending in queries {
            guard overtaking.spend() else { return }
            pending.retries.insert(.overtaken)
            retry(pending)
        }
    }
}
