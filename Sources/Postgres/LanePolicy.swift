/// Which connection of a loop's pool takes a query.
///
/// The first few carry point reads only: many in one batch cost PostgreSQL less than half per query. The others are
/// shared by pages and writes, by least in flight, and are lent one at a time to transactions and slow queries.
struct LanePolicy {
    /// What the choice depends on, for one connection.
    struct Place {
        var isUp = false
        /// What it is running has taken too long: nothing more is put behind it.
        var isStuck = false
        var isLeased = false
        /// Promised to the next in line for a lease as soon as it is empty.
        var isReserved = false
        var depth = 0
        /// Up to here it is filled from a line; 0 while it is left to work off what it has.
        var refillLimit = 0

        var isOpen: Bool { isUp && !isStuck && !isLeased && !isReserved }
    }

    enum Lane: Equatable {
        case point, heavy, write
        case lease(isSlow: Bool)

        var isLease: Bool {
            if case .lease = self { true } else { false }
        }
    }

    let count: Int
    /// Connections at the front that carry point reads only.
    let pointCount: Int
    let maximumDepth: Int
    /// Statements in flight on one connection when they are pages or writes: the rest wait in our line, from where any
    /// connection that is free can take them.
    let heavyDepth: Int
    let writeDepth: Int
    /// A point connection is filled up to here before the next one is used: a large batch costs the server less.
    private let batchDepth: Int
    /// While short statements wait in line, a shared connection is filled up to here, but only once it has run almost
    /// empty: those who are sent in a bunch wake the server and us once for all of them. Fewer where one that waits for
    /// a lock would hold up the others.
    let heavyRefill: Int
    let writeRefill: Int
    private let almostEmpty = 2

    /// `maximumDepth` bounds whatever may be in flight on one connection, of every kind.
    init(count: Int, maximumDepth: Int) {
        self.count = max(2, count)
        pointCount = count >= 6 ? 2 : 1
        self.maximumDepth = maximumDepth
        heavyDepth = min(4, maximumDepth)
        writeDepth = min(4, maximumDepth)
        batchDepth = min(16, maximumDepth)
        heavyRefill = min(16, maximumDepth)
        writeRefill = min(8, maximumDepth)
    }

    private var shared: Range<Int> { pointCount..<count }
    /// One shared connection always stays open to pages and writes, where there is more than one.
    var maximumLeases: Int { max(1, count - pointCount - 1) }
    /// One lease is kept for transactions and first runs, where there is more than one.
    var maximumSlow: Int { max(1, maximumLeases - 1) }

    func placeForPoint(_ places: [Place]) -> Int? {
        for index in 0..<pointCount where places[index].isOpen && places[index].depth < batchDepth { return index }
        return least(0..<pointCount, places, limit: maximumDepth) ?? least(shared, places, limit: maximumDepth)
    }

    func placeForHeavy(_ places: [Place]) -> Int? {
        if let place = least(shared, places, limit: heavyDepth) { return place }
        // Busy shared connections are worth waiting for; when all are lent or down there is none to wait for.
        let hasShared = shared.contains { places[$0].isOpen }
        return hasShared ? nil : least(0..<pointCount, places, limit: heavyDepth)
    }

    func placeForWrite(_ places: [Place]) -> Int? {
        if let place = least(shared, places, limit: writeDepth) { return place }
        let hasShared = shared.contains { places[$0].isUp }
        return hasShared ? nil : least(0..<pointCount, places, limit: writeDepth)
    }

    /// Opens the shared connections that have run almost empty to `waiting` statements, a fair share of them to each, so
    /// that none runs dry while another has them all.
    func openForRefill(_ places: inout [Place], upTo limit: Int, waiting: Int) {
        let open = shared.count { places[$0].isOpen }
        guard open > 0 else { return }
        let share = (waiting + open - 1) / open
        for index in shared {
            let depth = places[index].depth
            places[index].refillLimit = depth <= almostEmpty ? min(limit, depth + share) : 0
        }
    }

    /// The next place for short statements from a line, among those that were opened; what `choose` says where no shared
    /// connection is to be had at all.
    func placeForRefill(_ places: [Place], orElse choose: ([Place]) -> Int?) -> Int? {
        guard shared.contains(where: { places[$0].isOpen }) else { return choose(places) }
        return shared.first { places[$0].isOpen && places[$0].depth < places[$0].refillLimit }
    }

    /// The connection that becomes free soonest. Lend it when its depth is 0, else reserve it.
    func placeForLease(_ places: [Place]) -> Int? {
        guard places.count(where: { $0.isLeased || $0.isReserved }) < maximumLeases else { return nil }
        if let place = least(shared, places, limit: .max) { return place }
        let hasShared = shared.contains { places[$0].isUp }
        return hasShared ? nil : least(0..<pointCount, places, limit: .max)
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
