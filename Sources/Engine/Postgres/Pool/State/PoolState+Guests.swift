/// On which connections each ``Guest`` is: one of those that guests share is left to the others.
extension PoolState {
    /// The candidates for a statement of `guest`: one that has something on as many connections as it may gets no other.
    func candidates(for guest: Guest?) -> [PlacementPolicy.Candidate] {
        guard let guest, isAtLimit(guest) else { return candidates }
        var own = candidates
        for index in policy.sharedWithGuests where !isBusy(index, with: guest) { own[index].isHeld = true }
        return own
    }

    /// Whether it has something on as many of the shared connections as it may.
    func isAtLimit(_ guest: Guest) -> Bool {
        guard let limit = policy.maximumConnectionsOfGuest else { return false }
        return policy.sharedWithGuests.count { isBusy($0, with: guest) } >= limit
    }

    private func isBusy(_ index: Int, with guest: Guest) -> Bool {
        holds[index].lease?.guest == guest || senders[index].contains(guest)
    }

    /// Notes whose statements are sent, in the order of their answers.
    mutating func noteSender(_ pending: PendingQuery, on index: Int) {
        guard policy.sharedWithGuests.contains(index) else { return }
        for _ in 0..<pending.partCount { senders[index].append(pending.guest) }
    }

    /// So many statements are still in flight.
    mutating func forgetSenders(on index: Int, besides depth: Int) {
        let answered = senders[index].count - depth
        if answered > 0 { senders[index].removeFirst(answered) }
    }
}
