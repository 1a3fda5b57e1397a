import SwiftletAuth
import SwiftletPostgres
public import SwiftletWeb

extension Context {
    /// Stores a job; it runs once it is due, and only after the commit of the transaction that this context belongs to.
    ///
    /// With a `key`, only one such job of this tenant (of this user, where there is no tenant) waits at a time: another
    /// one is not stored, or takes its place if `replacing`. One that runs already does not count.
    ///
    /// Returns the job's id; nil if another one waits. Throws ``JobError``, ``PostgresError``, and `EncodingError`.
    @discardableResult
    public func enqueue<Payload>(
        _ job: Job<Payload>,
        _ payload: Payload,
        at time: JobTime = .now,
        key: String? = nil,
        priority: JobPriority = .normal,
        replacing: Bool = false
    ) async throws -> Int? {
        let caller = try JobCaller(of: self, for: job.declared)
        if let key, key.utf8.count > JobError.maximumKeyBytes { throw JobError.keyTooLong(bytes: key.utf8.count) }
        let text = try PayloadText.encode(payload)
        let rows = try await query(
            JobStatements.enqueue(
                job.name,
                text,
                caller,
                requestID: requestID,
                at: time,
                key: key,
                priority: priority,
                replacing: replacing
            )
        )
        guard let row = rows.first else { return nil }
        afterCommit(self[WorkAnnouncementKey.self])
        return try row.decode(Int.self, "id")
    }

    /// The same for a job without payload.
    @discardableResult
    public func enqueue(
        _ job: Job<NoPayload>,
        at time: JobTime = .now,
        key: String? = nil,
        priority: JobPriority = .normal,
        replacing: Bool = false
    ) async throws -> Int? {
        try await enqueue(job, NoPayload(), at: time, key: key, priority: priority, replacing: replacing)
    }

    /// Removes the job of this tenant, or user, that waits under this key. False if none does, or if it runs already.
    @discardableResult
    public func cancel<Payload>(_ job: Job<Payload>, key: String) async throws -> Bool {
        let caller = try JobCaller(of: self, for: job.declared)
        return try await !query(JobStatements.cancel(job.name, scope: caller.scope, key: key)).isEmpty
    }
}
