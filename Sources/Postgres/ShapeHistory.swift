/// How long each shape of statement takes on this loop's connections, learnt from its answers.
struct ShapeHistory {
    enum Class {
        /// So short that the way there and back is most of it: many share a batch.
        case point
        /// A page, say: spread over the connections.
        case heavy
        /// Never ran here: tried on a connection of its own.
        case unknown
        /// Gets a connection of its own, so that nobody waits behind it.
        case slow
    }

    private struct Shape {
        var id: UInt32 = 0
        /// Moving estimate of the time that the server takes; 0 when unknown.
        var nanoseconds: Int64 = 0
        var lastBatch: UInt32 = 0
    }

    static let pointLimit: Int64 = 60_000
    static let heavyLimit: Int64 = 20_000_000
    private static let shortLimit: Int64 = 1_000_000
    /// What a shape is taken to cost as long as only its first run, with its preparation, has been seen.
    private static let optimism: Int64 = 50_000

    /// What a shape is taken to cost that waited in vain for a lock: a few short answers show that it is over.
    private static let lockedOut: Int64 = 10 * heavyLimit
    /// Nothing is taken to cost less when a batch's time is shared out.
    private static let least: Int64 = 1_000

    private var shapes: [Shape] = []
    private var batch: UInt32 = 0

    /// What kind of work a call is, with everything that it asks.
    func classify(_ pending: PendingQuery) -> Class {
        guard let total = estimate(of: pending) else { return .unknown }
        return total <= Self.pointLimit ? .point : total <= Self.heavyLimit ? .heavy : .slow
    }

    /// Whether a dozen of these may stand in one line without anybody noticing.
    func isShort(_ pending: PendingQuery) -> Bool { estimate(of: pending).map { $0 <= Self.shortLimit } ?? false }

    /// Of all that the call asks, in nanoseconds; nil while some of it never ran here.
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
        guard statement.slot < shapes.count, shapes[statement.slot].id == statement.id else { return 0 }
        return shapes[statement.slot].nanoseconds
    }

    /// Where a call belongs: its slowest statement decides.
    func lane(of pending: PendingQuery) -> LanePolicy.Lane {
        if pending.isSuspect { return .lease(isSlow: false) }
        switch classify(pending) {
        case .slow: return .lease(isSlow: true)
        case .unknown: return .lease(isSlow: false)
        // Several statements at once are a page and its total: cheap as each may be, together they are no point read.
        case .point where pending.isReadOnly && pending.others.isEmpty: return .point
        default: return pending.isReadOnly ? .heavy : .write
        }
    }

    /// Makes room; to be called before a statement's slot is recorded.
    mutating func admit(_ statement: Statement) {
        while shapes.count <= statement.slot { shapes.append(Shape()) }
        if shapes[statement.slot].id != statement.id { shapes[statement.slot] = Shape(id: statement.id) }
    }

    /// Takes a shape for slow, until its answers show otherwise, because it waited in vain for a lock.
    mutating func noteLockedOut(_ statement: Statement) {
        admit(statement)
        shapes[statement.slot].nanoseconds = max(shapes[statement.slot].nanoseconds, Self.lockedOut)
    }

    /// Learns from one batch: the slots of what ran in it and how long it took without the way there and back.
    ///
    /// Answers of a batch come together, so the time is shared out by what was expected of each. A sample moves the
    /// estimate down quickly and up slowly, because everything that disturbs the measurement makes it longer; in company
    /// it moves it at most threefold, so that one slow statement does not give all its neighbours a bad name.
    mutating func record(_ slots: [Int32], nanoseconds: Int64, wasPrepared: Bool) {
        let total = max(1, nanoseconds)
        guard slots.count > 1 else { return learn(Int(slots[0]), total, wasPrepared: wasPrepared, limit: .max) }
        var expected: Int64 = 0
        for slot in slots { expected &+= max(Self.least, shapes[Int(slot)].nanoseconds) }
        let ratio = Double(total) / Double(expected)
        batch &+= 1
        for slot in slots.lazy.map(Int.init) where shapes[slot].lastBatch != batch {
            shapes[slot].lastBatch = batch
            let share = Double(max(Self.least, shapes[slot].nanoseconds)) * ratio
            learn(slot, Int64(min(share, 1e15)), wasPrepared: wasPrepared, limit: 32)
        }
    }

    private mutating func learn(_ slot: Int, _ sample: Int64, wasPrepared: Bool, limit: Int64) {
        let known = shapes[slot].nanoseconds
        let mayBePreparation = wasPrepared && sample < Self.heavyLimit
        guard known > 0 else {
            shapes[slot].nanoseconds = mayBePreparation ? min(sample, Self.optimism) : sample
            return
        }
        if mayBePreparation { return }
        let (bound, overflow) = known.multipliedReportingOverflow(by: limit)
        let change = (overflow ? sample : min(sample, bound)) &- known
        shapes[slot].nanoseconds = max(1, known &+ (change < 0 ? change / 4 : change / 16))
    }
}
