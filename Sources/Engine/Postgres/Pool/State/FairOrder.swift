/// Start-time fair queueing (Goyal, Vin and Cheng, 1996): flows that wait for one server share its time equally, whatever
/// their calls cost, and one that wants less than its share does not wait for the others.
///
/// Each call gets a start, the end of its flow's last one; the lowest start is served first. What has the highest start is
/// of the flow that wants most beyond its share, so that it gives way where there is no room.
struct FairOrder<Flow: Hashable> {
    /// A call's place in the order. Times are nanoseconds of the server's, counted by what is served.
    struct Turn {
        let flow: Flow
        let cost: Int64
        let start: Int64
    }

    /// The start of what was served last.
    private var now: Int64 = 0
    private var ends: [Flow: Int64] = [:]

    mutating func enter(_ flow: Flow, cost: Int64) -> Turn {
        let start = max(now, ends[flow] ?? now)
        ends[flow] = start &+ cost
        return Turn(flow: flow, cost: cost, start: start)
    }

    /// The turn of a call that has had one, and comes next once more.
    func reenter(_ flow: Flow) -> Turn { Turn(flow: flow, cost: 0, start: now) }

    mutating func serve(_ turn: Turn) {
        now = max(now, turn.start)
        if let end = ends[turn.flow], end <= now { ends[turn.flow] = nil }
    }

    /// Takes back what the flow is charged for a call that was not served.
    mutating func withdraw(_ turn: Turn) {
        guard let end = ends[turn.flow] else { return }
        ends[turn.flow] = end &- turn.cost > now ? end &- turn.cost : nil
    }

    /// Forgets who has had how much. To be called while nobody waits.
    mutating func reset() {
        guard !ends.isEmpty else { return }
        ends.removeAll(keepingCapacity: ends.count <= 1024)
        now = 0
    }
}
