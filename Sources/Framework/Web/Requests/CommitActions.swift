import Synchronization

/// What is to be done after a transaction's commit, and not at all if there is none.
final class CommitActions: Sendable {
    private let actions = Mutex<[@Sendable () -> Void]>([])

    func add(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }

    var count: Int { actions.withLock(\.count) }

    /// Forgets all but the first so many.
    func forget(behind count: Int = 0) { actions.withLock { $0.removeLast(max(0, $0.count - count)) } }

    func run() {
        let all = actions.withLock { actions in
            defer { actions = [] }
            return actions
        }
        for action in all { action() }
    }
}
