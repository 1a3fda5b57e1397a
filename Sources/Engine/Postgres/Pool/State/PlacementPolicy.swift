/// Chooses the connection of a loop's pool for a query.
///
/// The first one or two connections carry point reads only: in a batch these cost PostgreSQL less than half. The others
/// are shared by pages and writes, least loaded first, and are leased one at a time to transactions and slow queries.
/// The last of them carries nothing of a ``Guest``: what guests keep waiting for is at most the rest.
struct PlacementPolicy {
    /// The state of one connection, as far as the choice depends on it.
    struct Candidate {
        var isUp = false
        /// What it runs has taken too long: nothing more is sent behind it.
        var isStuck = false
        /// Nothing more is sent until it is idle and given back: it is leased to a transaction or a slow query, what it
        /// runs is being cancelled, or it is about to be replaced.
        var isHeld = false
        /// Leased to the next in the queue as soon as it is idle.
        var isReserved = false
        var depth = 0
        /// Nothing at all is in flight, not even the end of a batch.
        var isIdle = true
        /// The depth up to which it is filled from a queue; 0 while it works off what it has.
        var refillLimit = 0

        var isOpen: Bool { isUp && !isStuck && !isHeld && !isReserved }
    }

    let count: Int
    /// The number of connections that carry point reads only; they come first.
    private let pointCount: Int
    private let maximumDepth: Int
    /// The depth of a connection with pages or writes. The rest wait in our queue,
    /// where any free connection can take them.
    private let sharedDepth: Int
    /// The depth to which a point connection is filled before the next one is used: large batches cost the server less.
    private let batchDepth: Int
    /// The depth to which a shared connection is filled while short statements wait, but only once it has run almost
    /// empty: statements sent together wake the server and us only once. Writes get less, because one that waits for a
    /// lock holds up those behind it.
    let heavyRefill: Int
    let writeRefill: Int
    private let almostEmpty = 2

    /// `maximumDepth` bounds the statements of every kind in flight on one connection.
    init(count: Int, maximumDepth: Int) {
        self.count = max(2, count)
        pointCount = count >= 6 ? 2 : 1
        self.maximumDepth = maximumDepth
        sharedDepth = min(4, maximumDepth)
        batchDepth = min(16, maximumDepth)
        heavyRefill = min(16, maximumDepth)
        writeRefill = min(8, maximumDepth)
    }

    private var shared: Range<Int> { pointCount..<count }
    /// Those that guests may use, if there are several.
    var sharedWithGuests: Range<Int> { pointCount..<max(pointCount + 1, count - 1) }
    /// One shared connection stays open to pages and writes if there are several.
    var maximumLeases: Int { max(1, count - pointCount - 1) }
    /// One lease is kept for transactions and first runs if there are several.
    var maximumSlow: Int { max(1, maximumLeases - 1) }

    /// One lease is kept from guests if there are several; of those for slow queries as well.
    var maximumGuestLeases: Int { max(1, maximumLeases - 1) }
    /// Of guests, for as long as a client reads: one is left to what ends by itself if there are several.
    var maximumHeld: Int { max(1, maximumGuestLeases - 1) }
    var maximumSlowOfGuests: Int { max(1, maximumSlow - 1) }
    /// Of one guest.
    var maximumLeasesOfGuest: Int { max(1, maximumGuestLeases / 2) }
    /// On how many of those that guests share one guest may have what may take long; nil where there is only one.
    var maximumConnectionsOfGuest: Int? { sharedWithGuests.count > 1 ? sharedWithGuests.count - 1 : nil }
    /// The part of all that may wait which may be guests', and of these which may be one guest's.
    func maximumGuestWaiters(of maximum: Int) -> Int { maximum - maximum / 4 }
    func maximumWaitersOfGuest(of maximum: Int) -> Int { max(1, maximum / 2) }

    /// The connection for the next query of a workload, nil while it has to wait;
    /// always nil for a lease, which takes its turn.
    func index(for workload: Workload, _ candidates: [Candidate], isGuest: Bool = false) -> Int? {
        switch workload {
        case .point: indexForPoint(candidates)
        case .heavy: indexForHeavy(candidates, isGuest: isGuest)
        case .write: indexForWrite(candidates, isGuest: isGuest)
        case .lease: nil
        }
    }

    func indexForPoint(_ candidates: [Candidate]) -> Int? {
        for index in 0..<pointCount where candidates[index].isOpen && candidates[index].depth < batchDepth {
            return index
        }
        return least(0..<pointCount, candidates, limit: maximumDepth) ?? least(shared, candidates, limit: maximumDepth)
    }

    /// A busy or stuck shared connection is worth waiting for, unless all of them are leased or down: pages that all take
    /// long must not go on to hold the point connections as well. Of two of these, only the last takes pages.
    func indexForHeavy(_ candidates: [Candidate], isGuest: Bool = false) -> Int? {
        indexOnShared(candidates, isGuest, limit: sharedDepth, orElse: (pointCount - 1)..<pointCount) { candidate in
            candidate.isUp && !candidate.isHeld && !candidate.isReserved
        }
    }

    func indexForWrite(_ candidates: [Candidate], isGuest: Bool = false) -> Int? {
        indexOnShared(candidates, isGuest, limit: sharedDepth, orElse: 0..<pointCount, unless: \.isUp)
    }

    /// One of the `others` takes it only when `isWorthWaiting` holds for no shared connection; a guest's, where there are
    /// several shared ones, only when none of these is up.
    private func indexOnShared(
        _ candidates: [Candidate],
        _ isGuest: Bool,
        limit: Int,
        orElse others: Range<Int>,
        unless isWorthWaiting: (Candidate) -> Bool
    ) -> Int? {
        if isGuest, shared.count > 1 {
            if let index = least(sharedWithGuests, candidates, limit: limit) { return index }
            return shared.contains { candidates[$0].isUp } ? nil : least(others, candidates, limit: limit)
        }
        if let index = least(shared, candidates, limit: limit) { return index }
        let mustWait = shared.contains { isWorthWaiting(candidates[$0]) }
        return mustWait ? nil : least(others, candidates, limit: limit)
    }

    /// Lets the shared connections that have run almost empty take an equal share of the `waiting` statements each.
    func openForRefill(_ candidates: inout [Candidate], upTo limit: Int, waiting: Int) {
        let open = shared.count { candidates[$0].isOpen }
        guard open > 0 else { return }
        let share = (waiting + open - 1) / open
        for index in shared {
            let depth = candidates[index].depth
            candidates[index].refillLimit = depth <= almostEmpty ? min(limit, depth + share) : 0
        }
    }

    /// The next connection that ``openForRefill(_:upTo:waiting:)`` opened; as ever
    /// when no shared connection is open at all.
    func indexForRefill(_ candidates: [Candidate], _ workload: Workload, isGuest: Bool = false) -> Int? {
        let own = isGuest ? sharedWithGuests : shared
        guard own.contains(where: { candidates[$0].isOpen }) else {
            return index(for: workload, candidates, isGuest: isGuest)
        }
        return own.first { candidates[$0].isOpen && candidates[$0].depth < candidates[$0].refillLimit }
    }

    /// The connection that is free soonest. To be leased when its depth is 0, else reserved.
    func indexForLease(_ candidates: [Candidate], isGuest: Bool = false) -> Int? {
        guard candidates.count(where: { $0.isHeld || $0.isReserved }) < maximumLeases else { return nil }
        return indexOnShared(candidates, isGuest, limit: .max, orElse: 0..<pointCount, unless: \.isUp)
    }

    private func least(_ range: Range<Int>, _ candidates: [Candidate], limit: Int) -> Int? {
        var best: Int?
        var bestDepth = limit
        for index in range where candidates[index].isOpen && candidates[index].depth < bestDepth {
            best = index
            bestDepth = candidates[index].depth
        }
        return best
    }
}
