import SwiftletWeb

/// A job as it is declared, whatever its payload.
struct DeclaredJob: Sendable {
    let name: String
    var policy = RetryPolicy()
    var isAcrossTenants = false
    var isInTransaction = false
    /// nil for a job that only runs when it is enqueued.
    var recurrence: Recurrence?
    let perform: @Sendable (_ payload: String, Context) async throws -> Void

    init(name: String, perform: @escaping @Sendable (_ payload: String, Context) async throws -> Void) {
        self.name = name
        self.perform = perform
    }
}

/// A declaration that a worker performs.
protocol PerformedDeclaration {
    var declared: DeclaredJob { get }
}
