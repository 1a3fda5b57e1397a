public import SwiftletWeb

/// A job that nobody enqueues: it runs once per tick, however many servers there are. A tick that passes while none of
/// them runs is made up for when one starts, those after it are not.
public protocol RecurringJob: Sendable {
    /// Makes the job one that can be declared. Nobody has asked for it, so it has no tenant and no user, and
    /// ``Context/databaseAcrossTenants`` sees everybody's rows.
    func acrossTenants() -> Job<NoPayload>
}

/// A job that runs at an interval, declared beside a function's routes:
///
///     public let reports = Function("reports") {
///         Every(.seconds(300), "refresh-reports") { context in … }.acrossTenants()
///     }
///
/// Ticks are aligned: those of a job of every five minutes are at full five minutes, UTC.
public struct Every: RecurringJob {
    private let declared: DeclaredJob

    public init(
        _ interval: Duration,
        _ name: StaticString,
        _ perform: @escaping @Sendable (Context) async throws -> Void
    ) {
        declared = DeclaredJob(name, .every(interval), perform)
    }

    public func acrossTenants() -> Job<NoPayload> { declared.acrossTenants() }
}

/// A job that runs once a day at a time such as `"03:30"`, in UTC or in a zone of the IANA database, such as
/// `"Europe/Berlin"`.
///
/// There it runs once a day also when clocks are put forward or back: at the first of two such times, and an hour later
/// where there is none. No server starts with a zone that does not exist.
public struct Daily: RecurringJob {
    private let declared: DeclaredJob

    public init(
        at time: StaticString,
        in zone: StaticString? = nil,
        _ name: StaticString,
        _ perform: @escaping @Sendable (Context) async throws -> Void
    ) {
        declared = DeclaredJob(name, Recurrence(timeOfDay: time.description, in: zone?.description), perform)
    }

    /// The same at a time of day, in UTC, that is a setting.
    package init(
        atTime time: String,
        _ name: StaticString,
        _ perform: @escaping @Sendable (Context) async throws -> Void
    ) {
        declared = DeclaredJob(name, Recurrence(timeOfDay: time), perform)
    }

    public func acrossTenants() -> Job<NoPayload> { declared.acrossTenants() }
}

extension DeclaredJob {
    fileprivate init(
        _ name: StaticString,
        _ recurrence: Recurrence,
        _ perform: @escaping @Sendable (Context) async throws -> Void
    ) {
        self.init(name: name.description) { _, context in try await perform(context) }
        self.recurrence = recurrence
        // The next tick comes soon enough.
        policy.attempts = 3
    }

    fileprivate func acrossTenants() -> Job<NoPayload> {
        var job = self
        job.isAcrossTenants = true
        return Job(declared: job)
    }
}
