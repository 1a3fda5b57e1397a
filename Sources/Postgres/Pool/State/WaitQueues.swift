import EventLoop

/// The queries that wait for a connection, one queue for each lane.
struct WaitQueues {
    let points = WaitQueue<PendingQuery>()
    let heavies = WaitQueue<PendingQuery>()
    let writes = WaitQueue<PendingQuery>()
    let leases = WaitQueue<Lease>()

    var isEmpty: Bool { points.isEmpty && heavies.isEmpty && writes.isEmpty && leases.isEmpty }
    /// True when nothing waits for this lane.
    func isEmpty(_ lane: Lane) -> Bool {
        switch lane {
        case .point: points.isEmpty
        case .heavy: heavies.isEmpty
        case .write: writes.isEmpty
        case .lease: leases.isEmpty
        }
    }

    var count: Int { points.count + heavies.count + writes.count + leases.count }

    /// Removes the queries whose time is over and those that no caller waits for.
    func expire(at now: LoopInstant) -> Expired {
        let isOver = { (pending: PendingQuery) in
            pending.state == .done || min(pending.deadline, pending.waitDeadline) <= now
        }
        return Expired(
            queries: points.remove(where: isOver) + heavies.remove(where: isOver) + writes.remove(where: isOver),
            leases: leases.remove { $0.isAbandoned || min($0.deadline, $0.waitDeadline) <= now }
        )
    }

    /// Removes the queries that belong to another lane by now.
    func removeMisplaced(_ lane: (PendingQuery) -> Lane) -> [PendingQuery] {
        let leased = leases.remove { lease in lease.query.map { lane($0) != .lease(isSlow: lease.isSlow) } ?? false }
        return points.remove { lane($0) != .point } + heavies.remove { lane($0) != .heavy }
            + writes.remove { lane($0) != .write } + leased.compactMap(\.query)
    }

    func removeAll() -> Expired {
        Expired(
            queries: points.removeAll() + heavies.removeAll() + writes.removeAll(),
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
