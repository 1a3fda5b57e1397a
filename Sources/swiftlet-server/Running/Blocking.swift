import Dispatch

/// Runs work that blocks on a thread of Dispatch, away from the loops and from Swift's own few threads.
@discardableResult
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
}
