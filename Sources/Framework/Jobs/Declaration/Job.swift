public import SwiftletWeb

/// Work that outlives the request that asks for it: it survives a crash, is retried, and runs on one of the servers.
///
///     private let remind = Job("remind-of-visit") { (visit: Visit, context) in
///         …
///     }
///
///     public let visits = Function("visits") {
///         resource.routes()
///         remind
///     }
///
/// It is enqueued with ``Context/enqueue(_:_:at:key:priority:replacing:)`` and works for whoever has enqueued it: its
/// context has their user and tenant. It runs at least once; see ``inTransaction()`` for exactly once in effect.
public struct Job<Payload: Codable & Sendable>: FunctionDeclaration {
    let declared: DeclaredJob

    public var name: String { declared.name }

    init(declared: DeclaredJob) {
        self.declared = declared
    }

    /// The same job for work that belongs to no tenant and no user: its context has neither, and
    /// ``Context/databaseAcrossTenants`` sees everybody's rows.
    public func acrossTenants() -> Job { with { $0.isAcrossTenants = true } }

    /// The same job in one transaction, together with which it completes: exactly once in effect, whatever crashes.
    ///
    /// It holds a connection meanwhile, so wait for nothing but the database in it.
    public func inTransaction() -> Job { with { $0.isInTransaction = true } }

    /// The same job with a limit for one attempt; by default a minute. A longer one is cancelled and counts as failed.
    public func limited(to duration: Duration) -> Job { with { $0.policy.limit = duration } }

    /// The same job with so many attempts in all, by default ten, of which the second starts after about `delay`, by
    /// default five seconds, and each further one after twice the time, up to an hour.
    public func attempting(_ times: Int, delay: Duration = RetryPolicy.firstDelay) -> Job {
        with {
            $0.policy.attempts = times
            $0.policy.delay = delay
        }
    }

    private func with(_ change: (inout DeclaredJob) -> Void) -> Job {
        var declared = declared
        change(&declared)
        return Job(declared: declared)
    }
}

extension Job: PerformedDeclaration {}

extension Job {
    /// A job with a payload, which is stored as JSON and read again when it runs, perhaps by a newer version of the
    /// server: give new fields of `Payload` a default.
    ///
    /// `name` belongs to this job alone among all functions, and stays the same for as long as such jobs wait.
    public init(
        _ name: StaticString,
        _ perform: @escaping @Sendable (Payload, Context) async throws -> Void
    ) {
        declared = DeclaredJob(name: name.description) { text, context in
            try await perform(try PayloadText.decode(Payload.self, text), context)
        }
    }
}

extension Job<NoPayload> {
    /// A job without payload.
    public init(
        _ name: StaticString,
        _ perform: @escaping @Sendable (Context) async throws -> Void
    ) {
        declared = DeclaredJob(name: name.description) { _, context in try await perform(context) }
    }
}

/// What a job without payload is enqueued with.
public struct NoPayload: Codable, Sendable {
    public init() {}
}
