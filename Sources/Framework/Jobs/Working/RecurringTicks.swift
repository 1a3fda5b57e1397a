import SwiftletPostgres

/// Which recurring jobs need their next tick enqueued: all at the start, and each that was claimed.
struct RecurringTicks {
    private let jobs: [String: Recurrence]
    private var missing: Set<String>
    /// Those whose ticks may have passed while no server ran.
    private var unseen: Set<String>

    init(_ registry: JobRegistry) {
        var jobs: [String: Recurrence] = [:]
        for job in registry.recurring { jobs[job.name] = job.recurrence }
        self.jobs = jobs
        missing = Set(jobs.keys)
        unseen = missing
    }

    var isMissingAny: Bool { !missing.isEmpty }

    mutating func note(_ batch: ClaimedBatch) {
        guard !jobs.isEmpty else { return }
        for job in batch.jobs where jobs[job.name] != nil { missing.insert(job.name) }
    }

    /// However many servers do so, each tick is enqueued once.
    mutating func enqueueMissing(_ queue: JobQueue) async throws(PostgresError) {
        guard isMissingAny else { return }
        let clock = try await queue.clock()
        for name in missing.sorted() {
            if let recurrence = jobs[name] {
                try await queue.tick(name, recurrence, after: clock, makesUp: unseen.contains(name))
            }
            missing.remove(name)
            unseen.remove(name)
        }
    }
}
