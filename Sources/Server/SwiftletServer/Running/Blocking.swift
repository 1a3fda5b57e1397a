import SwiftletBlockingPool

/// For what a server does once in a while, such as reading a certificate.
private let threads = BlockingPool("server", width: 4)

/// Runs blocking work on a thread of its own instead of an event loop or Swift's cooperative pool.
///
/// Rethrows its error, or throws `CancellationError` as soon as the task is cancelled. The work itself cannot be
/// interrupted: it continues, and its result is discarded.
@discardableResult
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await threads.run(work)
}
