import Synchronization

/// One call that waits for a reload of the schema. Ends once, from any thread.
final class SchemaWaiter: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, Never>?
        var isOver = false
        var error: PostgresError?
    }

    private let state = Mutex(State())

    /// Why the reload failed.
    var error: PostgresError? { state.withLock { $0.error } }

    func wait(_ continuation: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
        }
        if isOver { continuation.resume() }
    }

    func finish(_ error: PostgresError?) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.error = error
            return state.continuation.take()
        }
        continuation?.resume()
    }
}
