/// What became of a replica, for the log and for `/metrics`.
package enum ReplicaStanding: String, Sendable, CaseIterable {
    /// It has not answered yet.
    case unknown
    /// It follows the primary closely enough to serve reads.
    case following
    /// It is further behind than reads may be.
    case lagging
    /// It takes writes of its own, or follows another history than the primary's.
    case promoted
    /// It does not answer.
    case lost
}

/// A change that an operator may want to see in the log.
package struct ReplicaEvent: Hashable, Sendable {
    package let replica: Int
    package let from: ReplicaStanding
    package let to: ReplicaStanding

    package init(replica: Int, from: ReplicaStanding, to: ReplicaStanding) {
        self.replica = replica
        self.from = from
        self.to = to
    }
}
