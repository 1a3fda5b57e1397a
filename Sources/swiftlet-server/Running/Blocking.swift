import Dispatch
import Synchronization

/// Runs blocking work on a Dispatch thread instead of an event loop or Swift's cooperative pool.
///
/// Rethrows its error, or throws `CancellationError` as soon as the task is cancelled. The work itself cannot be
/// interrupted: it continues, and its result is discarded.
@discardableResult
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let wait = BlockedWait<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            guard wait.begin(continuation) else { return continuation.resume(throwing: CancellationError()) }
            DispatchQueue.global().async { wait.end(Result { try work() }) }
        }
    } onCancel: {
        wait.end(.failure(CancellationError()))
    }
}

/// A continuation that is resumed by the end of the work or by the cancellation, whichever comes first.
private final class BlockedWait<Value: Sendable>: Sendable {
    private enum State {
        case notBegun
        case waiting(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.notBegun)

    /// Returns false if it is over already.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard case .notBegun = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    func end(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            defer { state = .over }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(with: result)
    }
}
