/// What is in flight on one connection, in the order of sending, which is the order of the results.
struct PipelineRing {
    enum Kind {
        case prepare
        case execute
        /// DEALLOCATE, or a probe; nobody waits for it.
        case housekeeping
        /// The end of a batch; `pending` is the write that is finished only now.
        case sync
    }

    struct Entry {
        var kind: Kind
        /// The end of the batch shows that a signal to cancel has arrived.
        var confirmsCancel = false
        var part: UInt32 = 0
        var attempt: UInt32 = 0
        var pending: PendingQuery?
        /// When the end of a batch was sent, in nanoseconds; 0 for other kinds.
        var sentAt: Int64 = 0

        var statement: Statement? { pending?.statement(at: Int(part)) }

        /// The query that waits for exactly this; nil when the caller has given up, or it was retried elsewhere.
        var live: PendingQuery? {
            guard let pending, pending.state == .sent, pending.attempt == attempt else { return nil }
            return pending
        }

        /// The query that can use the rows: also one that was retried elsewhere and has no result there yet.
        var receiver: PendingQuery? {
            guard let pending, pending.state != .done else { return nil }
            return pending.attempt == attempt || pending.others.isEmpty ? pending : nil
        }
    }

    private var slots: [Entry?]
    private var head = 0
    private(set) var count = 0

    /// `capacity` is a power of two; the ring grows when it must.
    init(capacity: Int = 64) {
        slots = Array(repeating: nil, count: capacity)
    }

    var isEmpty: Bool { count == 0 }

    var first: Entry? { count == 0 ? nil : slots[head] }

    mutating func append(_ entry: Entry) {
        if count == slots.count { grow() }
        slots[(head &+ count) & (slots.count &- 1)] = entry
        count &+= 1
    }

    @discardableResult
    mutating func removeFirst() -> Entry? {
        guard count > 0 else { return nil }
        let entry = slots[head].take()
        head = (head &+ 1) & (slots.count &- 1)
        count &-= 1
        return entry
    }

    /// Entry by its distance from the head.
    subscript(_ distance: Int) -> Entry? { slots[(head &+ distance) & (slots.count &- 1)] }

    /// True when this query is in flight and no other is.
    func holdsOnly(_ pending: PendingQuery) -> Bool {
        contains { $0.pending === pending } && !contains { $0.pending != nil && $0.pending !== pending }
    }

    /// Whether the statement is on its way to be prepared: what calls before it meet says nothing of that preparation.
    func isPreparing(_ statement: Statement) -> Bool {
        contains { $0.kind == .prepare && $0.statement?.id == statement.id }
    }

    private mutating func grow() {
        var larger = [Entry?](repeating: nil, count: slots.count * 2)
        for index in 0..<count { larger[index] = slots[(head &+ index) & (slots.count &- 1)] }
        slots = larger
        head = 0
    }
}

extension PipelineRing {
    /// Reads that are held up by the running statement: those of the first batch, which are marked as suspects because
    /// any of them may be the one that runs, and those behind it.
    func overtakable() -> (suspects: [PendingQuery], others: [PendingQuery]) {
        var suspects: [PendingQuery] = []
        var others: [PendingQuery] = []
        var isFirstBatch = true
        for entry in self {
            if entry.kind == .sync { isFirstBatch = false }
            guard entry.kind == .execute, entry.part == 0 else { continue }
            guard let pending = entry.live, pending.isReadOnly, !pending.retries.contains(.overtaken) else { continue }
            pending.isSuspect = isFirstBatch
            if isFirstBatch { suspects.append(pending) } else { others.append(pending) }
        }
        return (suspects, others)
    }

    /// The attempt at this query that is in flight here; nil when none is.
    func attempt(of pending: PendingQuery) -> UInt32? { first { $0.pending === pending }?.attempt }
}

extension PipelineRing: Sequence {
    /// Goes through all entries, from the head on.
    func makeIterator() -> some IteratorProtocol<Entry> { (0..<count).lazy.compactMap { self[$0] }.makeIterator() }
}
