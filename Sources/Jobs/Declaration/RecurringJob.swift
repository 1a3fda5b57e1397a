public import Web

/// A job that nobody enqueues: it runs once per tick, however many servers there are. A tick that passes while none of
/// them runs is made up for when one starts, those after it are not.
public struct RecurringJob: Sendable {
    fileprivate let declared: DeclaredJob

    /// Makes the job one that can be declared. Nobody has asked for it, so it has no tenant and no user, and
    /// ``Web/Context/databaseAcrossTenants`` sees everybody's rows.
    public func acrossTenants() -> Job<NoPayload> {
        var declared = declared
        declared.isAcrossTenants = true
        return Job(declared: declared)
    }
}

/// A recurring job, declared beside a function's routes:
///
///     public let reports = Function("reports") {
///         every(.seconds(300), "refresh-reports") { context in … }.acrossTenants()
///     }
///
/// Ticks are aligned: those of a job of every five minutes are at full five minutes, UTC.
public func every(
    _ interval: Duration,
    _ name: StaticString,
    _ perform: @escaping @Sendable (Context) async throws -> Void
) -> RecurringJob {
    recurring(name, .every(interval), perform)
}

/// A job that runs once a day at a time in UTC, such as `"03:30"`.
public func daily(
    at time: StaticString,
    _ name: StaticString,
    _ perform: @escaping @Sendable (Context) async throws -> Void
) -> RecurringJob {
    recurring(name, Recurrence(timeOfDay: time.description), perform)
}

private func recurring(
    _ name: StaticString,
    _ recurrence: Recurrence,
    _ perform: @escaping @Sendable (Context) async throws -> Void
) -> RecurringJob {
    var declared = DeclaredJob(name: name.description) { _, context in try await perform(context) }
    declared.recurrence = recurrence
    // The next tick comes soon enough.
    declared.policy.attempts = 3
    return RecurringJob(declared: declared)
}
