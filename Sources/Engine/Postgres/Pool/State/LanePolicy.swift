/// Chooses the connection of a loop's pool for a query.
///
/// The first one or two connections carry point reads only: in a batch these cost PostgreSQL less than half. The others
/// are shared by pages and writes, least loaded first, and are leased one at a time to transactions and slow queries.
/// The last of them carries nothing of a ``Guest``: what guests keep waiting for is at most the rest.
struct LanePolicy {
    /// The state of one connection, as far as the choice depends on it.
    struct Place {
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
    private var sharedWithGuests: Range<Int> { pointCount..<max(pointCount + 1, count - 1) }
    /// One shared connection stays open to pages and writes if there are several.
    var maximumLeases: Int { max(1, count - pointCount - 1) }
    /// One lease is kept for transactions and first runs if there are several.
    var maximumSlow: Int { max(1, maximumLeases - 1) }

    /// One lease is kept from guests if there are several; of those for slow queries as well.
    var maximumGuestLeases: Int { max(1, maximumLeases - 1) }
    var maximumSlowOfGuests: Int { max(1, maximumSlow - 1) }
    /// Of one guest.
    var maximumLeasesOfGuest: Int { max(1, maximumGuestLeases / 2) }
    /// The part of all that may wait which may be guests', and of these which may be one guest's.
    func maximumGuestWaiters(of maximum: Int) -> Int { maximum - maximum / 4 }
    func maximumWaitersOfGuest(of maximum: Int) -> Int { max(1, maximum / 2) }

    /// The connection for the next query of a lane, nil while it has to wait;
    /// always nil for a lease, which takes its turn.
    func place(for lane: Lane, _ places: [Place], isGuest: Bool = false) -> Int? {
        switch lane {
        case .point: placeForPoint(places)
        case .heavy: placeForHeavy(places, isGuest: isGuest)
        case .write: placeForWrite(places, isGuest: isGuest)
        case .lease: nil
        }
    }

    func placeForPoint(_ places: [Place]) -> Int? {
        for index in 0..<pointCount where places[index].isOpen && places[index].depth < batchDepth { return index }
        return least(0..<pointCount, places, limit: maximumDepth) ?? least(shared, places, limit: maximumDepth)
    }

    /// A busy or stuck shared connection is worth waiting for, unless all of them are leased or down: pages that all take
    /// long must not go on to hold the point connections as well. Of two of these, only the last takes pages.
    func placeForHeavy(_ places: [Place], isGuest: Bool = false) -> Int? {
        placeOnShared(places, isGuest, limit: sharedDepth, orElse: (pointCount - 1)..<pointCount) { place in
            place.isUp && !place.isHeld && !place.isReserved
        }
    }

    func placeForWrite(_ places: [Place], isGuest: Bool = false) -> Int? {
        placeOnShared(places, isGuest, limit: sharedDepth, orElse: 0..<pointCount, unless: \.isUp)
    }

    /// One of the `others` takes it only when `isWorthWaiting` holds for no shared connection; a guest's, where there are
    /// several shared ones, only when none of these is up.
    private func placeOnShared(
        _ places: [Place],
        _ isGuest: Bool,
        limit: Int,
        orElse others: Range<Int>,
        unless isWorthWaiting: (Place) -> Bool
    ) -> Int? {
        if isGuest, shared.count > 1 {
            if let place = least(sharedWithGuests, places, limit: limit) { return place }
            return shared.contains { places[$0].isUp } ? nil : least(others, places, limit: limit)
        }
        if let place = least(shared, places, limit: limit) { return place }
        let mustWait = shared.contains { isWorthWaiting(places[$0]) }
        return mustWait ? nil : least(others, places, limit: limit)
    }

    /// Lets the shared connections that have run almost empty take an equal share of the `waiting` statements each.
    func openForRefill(_ places: inout [Place], upTo limit: Int, waiting: Int) {
        let open = shared.count { places[$0].isOpen }
        guard open > 0 else { return }
        let share = (waiting + open - 1) / open
        for index in shared {
            let depth = places[index].depth
            places[index].refillLimit = depth <= almostEmpty ? min(limit, depth + share) : 0
        }
    }

    /// The next connection that ``openForRefill(_:upTo:waiting:)`` opened; as ever
    /// when no shared connection is open at all.
    func placeForRefill(_ places: [Place], _ lane: Lane, isGuest: Bool = false) -> Int? {
        let own = isGuest ? sharedWithGuests : shared
        guard own.contains(where: { places[$0].isOpen }) else { return place(for: lane, places, isGuest: isGuest) }
        return own.first { places[$0].isOpen && places[$0].depth < places[$0].refillLimit }
    }

    /// The connection that is free soonest. To be leased when its depth is 0, else reserved.
    func placeForLease(_ places: [Place], isGuest: Bool = false) -> Int? {
        guard places.count(where: { $0.isHeld || $0.isReserved }) < maximumLeases else { return nil }
        return placeOnShared(places, isGuest, limit: .max, orElse: 0..<pointCount, unless: \.isUp)
    }

    private func least(_ range: Range<Int>, _ places: [Place], limit: Int) -> Int? {
        var best: Int?
        var bestDepth = limit
        for index in range where places[index].isOpen && places[index].depth < bestDepth {
            best = index
            bestDepth = places[index].depth
        }
        return best
    }
}
