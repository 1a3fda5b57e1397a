/// On which connections each ``Guest`` has what may take long: one of those that guests share is left to the others.
extension PoolState {
    /// The candidates for a statement of `guest`: one that has such on as many connections as it may gets no other for it.
    func candidates(for guest: Guest?) -> [PlacementPolicy.Candidate] {
        guard let guest, guest.mayTakeLong, isAtLimit(guest) else { return candidates }
        var own = candidates
        for index in policy.sharedWithGuests where !isBusy(index, with: guest) { own[index].isHeld = true }
        return own
    }

    /// Whether it has such on as many of the shared connections as it may.
    func isAtLimit(_ guest: Guest) -> Bool {
        guard let limit = policy.maximumConnectionsOfGuest else { return false }
        return policy.sharedWithGuests.count { isBusy($0, with: guest) } >= limit
    }

    private func isBusy(_ index: Int, with guest: Guest) -> Bool {
        holds[index].lease?.guest == guest || sent[index].mayTakeLong(of: guest)
    }
}

/// What was sent on a connection, as far as it may take long.
struct SentStatements {
    private var count = 0
    private var long: [(guest: Guest, number: Int)] = []

    /// Statements are answered in the order in which they are sent.
    mutating func note(_ guest: Guest?, partCount: Int) {
        count &+= partCount
        if let guest, guest.mayTakeLong { long.append((guest, count)) }
    }

    /// So many are still in flight.
    mutating func forget(besides depth: Int) {
        guard !long.isEmpty else { return }
        let answered = count &- depth
        long.removeAll { $0.number <= answered }
    }

    func mayTakeLong(of guest: Guest) -> Bool { long.contains { $0.guest == guest } }
}
