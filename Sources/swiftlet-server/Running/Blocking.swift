import Dispatch
import Synchronization

/// Runs work that blocks on a thread of Dispatch, away from the loops and from Swift's own few threads.
///
/// Throws `CancellationError` as soon as the task is cancelled. Nothing can stop the thread: the work goes on by itself,
/// and what becomes of it is not told.
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

/// The one who waits for such work: hears of its end or of the cancellation, whichever comes first.
private final class BlockedWait<Value: Sendable>: Sendable {
    private enum State {
        case notBegun
        case waiting(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.notBegun)

    /// False when it is over already.
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
