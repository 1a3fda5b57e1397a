/// How a query gets its connection, see ``PlacementPolicy``.
enum Workload: Equatable {
    /// So short that the round trip is most of it: many share a batch.
    case point
    /// For example a page: spread over the connections.
    case heavy
    case write
    /// A connection of its own, for what is slow or has never run here, so that nothing waits behind it.
    case lease(isSlow: Bool)

    var isLease: Bool {
        if case .lease = self { true } else { false }
    }
}
