import Synchronization

/// Keeps a database's former primary out, where it has several hosts.
///
/// One that hung goes on as a primary, until somebody tells it that another was promoted meanwhile: it takes
/// connections, what is read there is old, and what is written there is lost. The greatest timeline that was seen of the
/// database's servers tells which of two is the former one.
final class PrimaryFence: Sendable {
    private let newest = Mutex<ServerHistory?>(nil)
    private let whenRaised = Mutex<(@Sendable (ServerHistory) -> Void)?>(nil)

    /// Calls `observer` when a server was seen that was promoted after all others, from any thread.
    func observe(_ observer: @escaping @Sendable (ServerHistory) -> Void) { whenRaised.withLock { $0 = observer } }

    /// Whether a primary of this history may be used. It is known from now on.
    @discardableResult
    func admits(_ history: ServerHistory) -> Bool {
        let (isAdmitted, isRaised) = newest.withLock { newest in
            guard let last = newest, last.cluster == history.cluster else {
                // Another database is at the address now.
                newest = history
                return (true, false)
            }
            if history.precedes(last) { return (false, false) }
            newest = history
            return (true, last.precedes(history))
        }
        if isRaised { whenRaised.withLock(\.self)?(history) }
        return isAdmitted
    }
}
