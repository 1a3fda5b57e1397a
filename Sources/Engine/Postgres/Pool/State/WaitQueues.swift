import SwiftletEventLoop

/// The queries that wait for a connection, one queue for each workload.
///
/// Queries of the server's functions and of guests get equal time of the server. Among the functions' each shape gets an
/// equal share, among those of guests each guest, see ``FairOrder``. Leases come in the same order, of all.
struct WaitQueues {
    /// Who shares the server's time.
    enum Flow: Hashable {
        /// By its table index.
        case shape(Int)
        case guest(Guest)
        /// Of functions.
        case transactions
    }

    let points = WaitQueue<PendingQuery>()
    let heavies = WaitQueue<PendingQuery>()
    let writes = WaitQueue<PendingQuery>()
    /// Those of guests, who may use fewer connections: nobody else waits behind them.
    let guestHeavies = WaitQueue<PendingQuery>()
    let guestWrites = WaitQueue<PendingQuery>()
    let leases = WaitQueue<Lease>()

    private var own = Share()
    private var guests = Share()
    private var lent = FairOrder<Flow>()

    private struct Share {
        var order = FairOrder<Flow>()
        /// The time of the server that those who waited have had.
        var served: Int64 = 0
    }

    /// Who waits in one of the queues.
    struct Line {
        let queue: WaitQueue<PendingQuery>
        let workload: Workload
        let kind: WaitingRoom.Kind

        fileprivate init(_ queue: WaitQueue<PendingQuery>, _ workload: Workload, _ kind: WaitingRoom.Kind) {
            self.queue = queue
            self.workload = workload
            self.kind = kind
        }

        /// The turn of its first.
        fileprivate var start: Int64 { queue.first?.turn?.start ?? .max }
    }

    var pointReads: Line { Line(points, .point, .own) }

    private var all: [Line] { [pointReads] + inTurn }

    var isEmpty: Bool {
        points.isEmpty && heavies.isEmpty && writes.isEmpty && leases.isEmpty && guestHeavies.isEmpty
            && guestWrites.isEmpty
    }
    /// True when nothing waits for this workload.
    func isEmpty(_ workload: Workload, isGuest: Bool) -> Bool {
        switch workload {
        case .point: points.isEmpty
        case .heavy: isGuest ? guestHeavies.isEmpty : heavies.isEmpty
        case .write: isGuest ? guestWrites.isEmpty : writes.isEmpty
        case .lease: leases.isEmpty
        }
    }

    var count: Int { counts.total }

    var counts: WaitingRoom.Counts {
        WaitingRoom.Counts(
            own: points.count + heavies.count + writes.count,
            guests: guestHeavies.count + guestWrites.count,
            leases: leases.count
        )
    }

    /// How many calls of this guest wait.
    func count(of guest: Guest) -> Int {
        guestHeavies.count { $0.guest == guest } + guestWrites.count { $0.guest == guest }
            + leases.count { $0.guest == guest }
    }

    // MARK: - The order

    /// `cost` is the time that it is expected to take, in nanoseconds. What was sent before has had its turn.
    mutating func insert(_ pending: PendingQuery, _ workload: Workload, cost: Int64) -> WaitingRoom.Kind {
        let kind: WaitingRoom.Kind = workload != .point && pending.guest != nil ? .guests : .own
        begin(kind)
        let flow = pending.guest.map { Flow.guest($0) } ?? .shape(pending.statement.tableIndex)
        let turn = update(kind) { share in
            pending.attempt == 0 ? share.order.enter(flow, cost: cost) : share.order.reenter(flow)
        }
        pending.turn = turn
        queue(workload, kind).insert(pending) { ($0.turn?.start ?? 0) > turn.start }
        return kind
    }

    mutating func insert(_ lease: Lease, cost: Int64) {
        if leases.isEmpty { lent.reset() }
        let flow = lease.guest.map { Flow.guest($0) } ?? lease.query.map { .shape($0.statement.tableIndex) }
        let turn = lent.enter(flow ?? .transactions, cost: cost)
        lease.turn = turn
        leases.insert(lease) { ($0.turn?.start ?? 0) > turn.start }
    }

    /// Removes a lease that is granted.
    mutating func serve(_ lease: Lease) {
        _ = leases.removeFirst { $0 === lease }
        if let turn = lease.turn { lent.serve(turn) }
    }

    /// To be called for what is removed to be sent.
    mutating func serve(_ pending: PendingQuery, from kind: WaitingRoom.Kind) {
        guard let turn = pending.turn.take() else { return }
        update(kind) { share in
            share.order.serve(turn)
            share.served &+= turn.cost
        }
    }

    /// To be called for what is removed and not sent.
    mutating func withdraw(_ pending: PendingQuery, from kind: WaitingRoom.Kind) {
        guard let turn = pending.turn.take() else { return }
        update(kind) { $0.order.withdraw(turn) }
    }

    /// The lines of pages and writes; that which has had the least comes first.
    var inTurn: [Line] {
        let functions = Self.inTurn(Line(heavies, .heavy, .own), Line(writes, .write, .own))
        let others = Self.inTurn(Line(guestHeavies, .heavy, .guests), Line(guestWrites, .write, .guests))
        return own.served <= guests.served ? functions + others : others + functions
    }

    private static func inTurn(_ pages: Line, _ writes: Line) -> [Line] {
        pages.start <= writes.start ? [pages, writes] : [writes, pages]
    }

    /// Those who have waited for nothing so far get no time for it.
    private mutating func begin(_ kind: WaitingRoom.Kind) {
        guard counts[kind] == 0 else { return }
        let other = kind == .own ? guests.served : own.served
        update(kind) { share in
            share.order.reset()
            share.served = max(share.served, other)
        }
    }

    private mutating func update<Value>(_ kind: WaitingRoom.Kind, _ change: (inout Share) -> Value) -> Value {
        kind == .guests ? change(&guests) : change(&own)
    }

    private func queue(_ workload: Workload, _ kind: WaitingRoom.Kind) -> WaitQueue<PendingQuery> {
        switch workload {
        case .point, .lease: points
        case .heavy: kind == .guests ? guestHeavies : heavies
        case .write: kind == .guests ? guestWrites : writes
        }
    }

    // MARK: - The end of a wait

    /// Removes the last in the order of its kind, which gives way.
    mutating func removeLast(of kind: WaitingRoom.Kind) -> Expired {
        if kind == .leases {
            let last = leases.removeLast().map { [$0] } ?? []
            withdraw(last)
            return Expired(queries: [], leases: last)
        }
        let queues = all.filter { $0.kind == kind }.map(\.queue)
        let last = queues.max { ($0.last?.turn?.start ?? -1) < ($1.last?.turn?.start ?? -1) }
        guard let pending = last?.removeLast() else { return Expired(queries: [], leases: []) }
        withdraw(pending, from: kind)
        return Expired(queries: [pending], leases: [])
    }

    /// Removes the queries whose time is over and those that no caller waits for.
    mutating func expire(at now: LoopInstant) -> Expired {
        let queries = remove { _, pending in
            pending.state == .done || min(pending.deadline, pending.waitDeadline) <= now
        }
        return Expired(
            queries: queries,
            leases: removeLeases { $0.isAbandoned || min($0.deadline, $0.waitDeadline) <= now }
        )
    }

    /// Removes the queries that belong to another workload by now.
    mutating func removeMisplaced(_ workload: (PendingQuery) -> Workload) -> [PendingQuery] {
        let leased = removeLeases { lease in
            lease.query.map { workload($0) != .lease(isSlow: lease.isSlow) } ?? false
        }
        return remove { workload($1) != $0 } + leased.compactMap(\.query)
    }

    mutating func removeLeases(where test: (Lease) -> Bool) -> [Lease] {
        let removed = leases.remove(where: test)
        withdraw(removed)
        return removed
    }

    private mutating func withdraw(_ leases: [Lease]) {
        for turn in leases.lazy.compactMap(\.turn) { lent.withdraw(turn) }
    }

    private mutating func remove(where test: (Workload, PendingQuery) -> Bool) -> [PendingQuery] {
        all.flatMap { line in
            let removed = line.queue.remove { test(line.workload, $0) }
            for pending in removed { withdraw(pending, from: line.kind) }
            return removed
        }
    }

    func removeAll() -> Expired {
        Expired(
            queries: all.flatMap { $0.queue.removeAll() },
            leases: leases.removeAll()
        )
    }

    struct Expired {
        let queries: [PendingQuery]
        let leases: [Lease]

        func refuse(_ error: PostgresError) {
            for pending in queries { pending.finish(error) }
            for lease in leases { lease.refuse(error) }
        }
    }
}
