/// Learns how long each statement shape takes on this loop's connections.
struct StatementHistory {
    private struct Record {
        var id: UInt32 = 0
        /// Moving estimate of the server's time; 0 when unknown.
        var nanoseconds: Int64 = 0
        var lastBatch: UInt32 = 0
        /// How many slow runs in a row it takes until this is no point read any more.
        var pointCredit: UInt8 = 0
    }

    /// A single read up to this time is a point read.
    private static let pointLimitNanoseconds: Int64 = 200_000
    /// The highest ``Record/pointCredit``. While a hundred lists have the processor, a point read takes milliseconds; behind
    /// the lists it would wait for all of them.
    private static let maximumPointCredit: UInt8 = 64
    /// A query above this time is slow: it gets a connection of its own.
    private static let slowLimitNanoseconds: Int64 = 20_000_000
    /// Queries up to this time may wait for each other on one connection.
    private static let shortLimitNanoseconds: Int64 = 1_000_000
    /// The highest first estimate of a statement whose only run included its preparation.
    private static let firstEstimateNanoseconds: Int64 = 50_000
    /// The lowest estimate after a lock timeout. A few fast runs correct it.
    private static let lockedOutNanoseconds: Int64 = 10 * slowLimitNanoseconds
    /// The lowest weight of a statement when the time of a batch is divided.
    private static let minimumWeightNanoseconds: Int64 = 1_000

    private var records: [Record] = []
    private var batch: UInt32 = 0

    /// The workload in which a call is sent: all its statements count together.
    func workload(of pending: PendingQuery) -> Workload {
        guard let total = estimate(of: pending) else { return .lease(isSlow: false) }
        if total > Self.slowLimitNanoseconds { return .lease(isSlow: true) }
        if pending.isSuspect { return .lease(isSlow: false) }
        guard pending.isReadOnly else { return .write }
        // Several statements are a page and its total: however cheap each may be, together they are no point read.
        guard pending.others.isEmpty else { return .heavy }
        return total <= Self.pointLimitNanoseconds || hasPointCredit(pending.statement) ? .point : .heavy
    }

    /// Whether a dozen of these may wait for each other on one connection.
    func isShort(_ pending: PendingQuery) -> Bool {
        estimate(of: pending).map { $0 <= Self.shortLimitNanoseconds } ?? false
    }

    /// The time of all its statements in nanoseconds; nil while one of them has never run here.
    private func estimate(of pending: PendingQuery) -> Int64? {
        var total = estimate(of: pending.statement)
        if total == 0 { return nil }
        for part in pending.others {
            let estimate = estimate(of: part.statement)
            if estimate == 0 { return nil }
            total &+= estimate
        }
        return total
    }

    private func estimate(of statement: Statement) -> Int64 {
        guard statement.tableIndex < records.count, records[statement.tableIndex].id == statement.id else { return 0 }
        return records[statement.tableIndex].nanoseconds
    }

    private func hasPointCredit(_ statement: Statement) -> Bool {
        statement.tableIndex < records.count && records[statement.tableIndex].pointCredit > 0
    }

    /// Makes room for a statement; to be called before its table index is recorded.
    mutating func admit(_ statement: Statement) {
        while records.count <= statement.tableIndex { records.append(Record()) }
        if records[statement.tableIndex].id != statement.id { records[statement.tableIndex] = Record(id: statement.id) }
    }

    /// Classifies a shape as slow after a lock timeout, until its next runs show otherwise.
    mutating func noteLockedOut(_ statement: Statement) {
        admit(statement)
        let index = statement.tableIndex
        records[index].nanoseconds = max(records[index].nanoseconds, Self.lockedOutNanoseconds)
    }

    /// Classifies as slow what takes longest of these statements, until its next runs show otherwise.
    mutating func noteStuck(_ statements: [Statement]) {
        if let longest = statements.max(by: { estimate(of: $0) < estimate(of: $1) }) { noteLockedOut(longest) }
    }

    /// Learns from one batch: the table indices of its statements, and the time it took without the round trip.
    ///
    /// The results of a batch arrive together, so its time is divided in proportion to the estimates. A
    /// sample lowers the estimate quickly and raises it slowly, because every disturbance of the measurement
    /// makes it longer. In a batch of several it raises it threefold at most, so that one slow statement does
    /// not spoil the estimates of its neighbors. A batch that was cut short, by a cancellation or a timeout,
    /// says nothing of how fast its statements are.
    mutating func record(_ statements: [Int32], nanoseconds: Int64, wasPrepared: Bool, wasCutShort: Bool = false) {
        let total = max(1, nanoseconds)
        if wasCutShort, total < statements.reduce(0, { $0 &+ records[Int($1)].nanoseconds }) { return }
        guard statements.count > 1 else {
            return learn(Int(statements[0]), total, wasPrepared: wasPrepared, limit: .max)
        }
        var expected: Int64 = 0
        for index in statements { expected &+= max(Self.minimumWeightNanoseconds, records[Int(index)].nanoseconds) }
        let ratio = Double(total) / Double(expected)
        batch &+= 1
        for index in statements.lazy.map(Int.init) where records[index].lastBatch != batch {
            records[index].lastBatch = batch
            let share = Double(max(Self.minimumWeightNanoseconds, records[index].nanoseconds)) * ratio
            learn(index, Int64(min(share, 1e15)), wasPrepared: wasPrepared, limit: 32)
        }
    }

    private mutating func learn(_ index: Int, _ sample: Int64, wasPrepared: Bool, limit: Int64) {
        let known = records[index].nanoseconds
        let mayBePreparation = wasPrepared && sample < Self.slowLimitNanoseconds
        guard known > 0 else {
            records[index].nanoseconds = mayBePreparation ? min(sample, Self.firstEstimateNanoseconds) : sample
            return
        }
        if mayBePreparation { return }
        let credit = records[index].pointCredit
        if sample <= Self.pointLimitNanoseconds {
            records[index].pointCredit = min(Self.maximumPointCredit, credit + 1)
        } else if credit > 0 {
            records[index].pointCredit = credit - 1
        }
        let (bound, overflow) = known.multipliedReportingOverflow(by: limit)
        let change = (overflow ? sample : min(sample, bound)) &- known
        records[index].nanoseconds = max(1, known &+ (change < 0 ? change / 4 : change / 16))
    }
}
