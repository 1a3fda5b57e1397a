import Synchronization

/// Keeps a database's former primary out, where it has several hosts.
///
/// One that hung goes on as a primary, until somebody tells it that another was promoted meanwhile: it takes
/// connections, what is read there is old, and what is written there is lost. The greatest timeline that was seen of the
/// database's servers tells which of two is the former one.
/// Where that server is not to be had for ``patience``, one of the others counts again: it may have been made anew as a
/// standby, or be lost.
final class PrimaryFence: Sendable {
    private struct State {
        var newest: ServerHistory?
        /// Since when only former primaries have answered.
        var refusesSince: ContinuousClock.Instant?
    }

    private static let patience = Duration.seconds(60)

    private let state = Mutex(State())
    private let observers = Mutex<[ObjectIdentifier: @Sendable (ServerHistory) -> Void]>([:])

    /// Calls `observer` when a server was seen that was promoted after all others, from any thread, for as long as the
    /// result is held.
    func observe(_ observer: @escaping @Sendable (ServerHistory) -> Void) -> Observation {
        let observation = Observation(of: self)
        observers.withLock { $0[ObjectIdentifier(observation)] = observer }
        return observation
    }

    final class Observation: Sendable {
        private let fence: PrimaryFence

        fileprivate init(of fence: PrimaryFence) { self.fence = fence }

        deinit { _ = fence.observers.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) } }
    }

    /// Whether a primary of this history may be used. It is known from now on.
    @discardableResult
    func admits(_ history: ServerHistory, at now: ContinuousClock.Instant = .now) -> Bool {
        let (isAdmitted, isRaised) = state.withLock { state in
            if let newest = state.newest, history.precedes(newest) {
                let since = state.refusesSince ?? now
                state.refusesSince = since
                guard now - since >= Self.patience else { return (false, false) }
            }
            // Another database at the address begins anew.
            let isRaised = state.newest?.precedes(history) == true
            state = State(newest: history)
            return (true, isRaised)
        }
        if isRaised { for observer in observers.withLock({ Array($0.values) }) { observer(history) } }
        return isAdmitted
    }
}
