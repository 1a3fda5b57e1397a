import EventLoop

/// The queries that wait for a connection, one queue for each lane.
struct WaitQueues {
    let points = WaitQueue<PendingQuery>()
    let heavies = WaitQueue<PendingQuery>()
    let writes = WaitQueue<PendingQuery>()
    let leases = WaitQueue<Lease>()

    var isEmpty: Bool { points.isEmpty && heavies.isEmpty && writes.isEmpty && leases.isEmpty }
    var count: Int { points.count + heavies.count + writes.count + leases.count }

    /// Removes the queries whose time is over and those that no caller waits for.
    func expire(_ isOver: (_ deadline: LoopInstant, _ waitDeadline: LoopInstant) -> Bool) -> Expired {
        let test = { (pending: PendingQuery) in
            pending.state == .done || isOver(pending.deadline, pending.waitDeadline)
        }
        return Expired(
            queries: points.remove(where: test) + heavies.remove(where: test) + writes.remove(where: test),
            leases: leases.remove { $0.isAbandoned || isOver($0.deadline, $0.waitDeadline) }
        )
    }

    /// Removes the queries that belong to another lane by now.
    func removeMisplaced(_ lane: (PendingQuery) -> LanePolicy.Lane) -> [PendingQuery] {
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
