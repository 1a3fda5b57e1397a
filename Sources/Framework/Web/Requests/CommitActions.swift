import Synchronization

/// What is to be done after a transaction's commit, and not at all if there is none.
final class CommitActions: Sendable {
    private let actions = Mutex<[@Sendable () -> Void]>([])

    func add(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }

    func forget() { actions.withLock { $0 = [] } }

    func run() {
        let all = actions.withLock { actions in
            defer { actions = [] }
            return actions
        }
        for action in all { action() }
    }
}
