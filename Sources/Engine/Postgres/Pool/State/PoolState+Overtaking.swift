import SwiftletEventLoop

/// What the pool does about a query that takes long and holds others up.
extension PoolState {
    /// Sends nothing more to its connection, and retries the reads behind it on others.
    mutating func overtake(_ index: Int, _ connections: [ConnectionSnapshot?], at now: LoopInstant) {
        guard let connection = connections[index], !candidates[index].isStuck else { return }
        candidates[index].isStuck = true
        if let pending = connection.ring.first(where: { $0.live != nil })?.live, pending.guest != nil {
            // One who chooses the values makes a statement slow that was fast so far, as often as it likes.
            known.history.noteStuck(pending.statements)
        }
        guard !candidates[index].isHeld else { return cancelDuplicate(on: index, connections, at: now) }
        let (suspects, others) = connection.ring.overtakable()
        retryElsewhere(others + Self.inOrderOfSuspicion(suspects).dropLast(), at: now)
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
    private mutating func cancelDuplicate(
        on index: Int,
        _ connections: [ConnectionSnapshot?],
        at now: LoopInstant
    ) {
        guard let pending = holds[index].lease?.query, pending.retries.contains(.overtaken), pending.others.isEmpty
        else { return }
        for (other, connection) in connections.enumerated() where other != index {
            guard let ring = connection?.ring, let attempt = ring.attempt(of: pending) else { continue }
            pending.goBack(toAttempt: attempt)
            cancel(index)
            let (suspects, others) = ring.overtakable()
            return retryElsewhere(suspects + others, at: now)
        }
    }

    /// Each call once at most, which bounds what a machine that is slow as a whole has to do again.
    private mutating func retryElsewhere(_ queries: [PendingQuery], at now: LoopInstant) {
        for pending in queries {
            pending.retries.insert(.overtaken)
            retry(pending, at: now)
        }
    }
}
