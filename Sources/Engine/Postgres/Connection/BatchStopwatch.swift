/// Measures how long the server takes for the batches of one connection. All times are in nanoseconds.
struct BatchStopwatch {
    /// The table indices of the statements that ended in this batch.
    private var statements: [Int32] = []
    private var hasPrepared = false
    private var wasCutShort = false
    private var lastEnd: Int64 = 0
    /// The shortest so far: what a batch takes beyond it is the server's time.
    private(set) var roundTrip: Int64 = .max / 4

    mutating func notePreparation() { hasPrepared = true }

    /// A statement of this batch was cancelled or timed out: it would have taken longer.
    mutating func noteCutShort() { wasCutShort = true }

    mutating func noteEnd(of statement: Statement) {
        statements.append(Int32(truncatingIfNeeded: statement.tableIndex))
    }

    /// Records what the batch took, for the statements that ended in it.
    mutating func endBatch(sentAt: Int64, now: Int64, recordIn history: inout StatementHistory) {
        if sentAt >= lastEnd { roundTrip = min(roundTrip, now &- sentAt) }
        if !statements.isEmpty {
            // The server started when it had received the batch, or had finished the one before.
            let elapsed = now &- max(sentAt &+ roundTrip, lastEnd)
            history.record(statements, nanoseconds: elapsed, wasPrepared: hasPrepared, wasCutShort: wasCutShort)
            statements.removeAll(keepingCapacity: true)
        }
        lastEnd = now
        hasPrepared = false
        wasCutShort = false
    }
}
