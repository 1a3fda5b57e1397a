import Synchronization

/// A continuation that is resumed by the end of the work or by the cancellation, whichever comes first.
package final class BlockedWait<Value: Sendable>: Sendable {
    private enum State {
        case notBegun
        case waiting(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.notBegun)

    package var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    package init() {}

    /// Returns false if it is over already.
    package func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard case .notBegun = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    package func end(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            defer { state = .over }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(with: result)
    }
}
