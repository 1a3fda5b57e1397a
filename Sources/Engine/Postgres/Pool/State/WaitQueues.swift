import SwiftletEventLoop

/// The queries that wait for a connection, one queue for each workload.
struct WaitQueues {
    let points = WaitQueue<PendingQuery>()
    let heavies = WaitQueue<PendingQuery>()
    let writes = WaitQueue<PendingQuery>()
    /// Those of guests, who may use fewer connections: nobody else waits behind them.
    let guestHeavies = WaitQueue<PendingQuery>()
    let guestWrites = WaitQueue<PendingQuery>()
    let leases = WaitQueue<Lease>()

    private var all: [WaitQueue<PendingQuery>] { [points, heavies, writes, guestHeavies, guestWrites] }

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

    var count: Int { points.count + heavies.count + writes.count + leases.count + guestCount }
    /// Without those who wait for a lease.
    var guestCount: Int { guestHeavies.count + guestWrites.count }

    func append(_ pending: PendingQuery, toPages isPage: Bool) {
        switch (isPage, pending.guest != nil) {
        case (true, false): heavies.append(pending)
        case (true, true): guestHeavies.append(pending)
        case (false, false): writes.append(pending)
        case (false, true): guestWrites.append(pending)
        }
    }

    /// How many calls of this guest wait.
    func count(of guest: Guest) -> Int {
        guestHeavies.count { $0.guest == guest } + guestWrites.count { $0.guest == guest }
            + leases.count { $0.guest == guest }
    }

    /// Removes the queries whose time is over and those that no caller waits for.
    func expire(at now: LoopInstant) -> Expired {
        let isOver = { (pending: PendingQuery) in
            pending.state == .done || min(pending.deadline, pending.waitDeadline) <= now
        }
        return Expired(
            queries: all.flatMap { $0.remove(where: isOver) },
            leases: leases.remove { $0.isAbandoned || min($0.deadline, $0.waitDeadline) <= now }
        )
    }

    /// Removes the queries that belong to another workload by now.
    func removeMisplaced(_ workload: (PendingQuery) -> Workload) -> [PendingQuery] {
        let leased = leases.remove { lease in lease.query.map { workload($0) != .lease(isSlow: lease.isSlow) } ?? false
        }
        return points.remove { workload($0) != .point } + heavies.remove { workload($0) != .heavy }
            + guestHeavies.remove { workload($0) != .heavy } + writes.remove { workload($0) != .write }
            + guestWrites.remove { workload($0) != .write } + leased.compactMap(\.query)
    }

    func removeAll() -> Expired {
        Expired(
            queries: all.flatMap { $0.removeAll() },
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
