import Dispatch
import Offloading

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
