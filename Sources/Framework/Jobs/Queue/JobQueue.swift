import SwiftletPostgres

/// The queue's tables, as the worker uses them.
struct JobQueue: Sendable {
    let database: Database
    /// This process among those that share the queue.
    let worker: Int
    let lease: Duration

    /// Claims up to `count` jobs of these names that are due, the most urgent first.
    func claim(
        _ count: Int,
        names: [String],
        from floors: ClaimCursor = ClaimCursor()
    ) async throws(PostgresError) -> ClaimedBatch {
        var parameters = Parameters()
        parameters.append(worker)
        parameters.append(count)
        parameters.append(array: names)
        parameters.append(lease.seconds)
        for priority in [JobPriority.high, .normal, .low] { parameters.append(floors[priority]) }
        return ClaimedBatch(try await database.query(JobStatements.claim, parameters))
    }

    /// False if the lease had ended already.
    func beat() async throws(PostgresError) -> Bool {
        var parameters = Parameters()
        parameters.append(worker)
        parameters.append(lease.seconds)
        return try await database.query(JobStatements.beat, parameters).affectedRows > 0
    }

    /// Returns the jobs of servers that have died; how many.
    func rescue(includingAbandoned: Bool = false) async throws(PostgresError) -> Int {
        var count = try await database.query(JobStatements.rescue, .none).affectedRows
        if includingAbandoned { count += try await database.query(JobStatements.rescueAbandoned, .none).affectedRows }
        return count
    }

    /// How many of them were still ours.
    func complete(_ claims: [JobClaim]) async throws(PostgresError) -> Int {
        try await database.query(JobStatements.complete, Self.parameters(claims)).affectedRows
    }

    func release(_ claims: [JobClaim]) async throws(PostgresError) {
        _ = try await database.query(JobStatements.release, Self.parameters(claims))
    }

    /// Returns what this server holds without knowing it; how many.
    func releaseAll(except known: [Int]) async throws(PostgresError) -> Int {
        var parameters = Parameters()
        parameters.append(worker)
        parameters.append(array: known.map(String.init))
        return try await database.query(JobStatements.releaseUnknown, parameters).affectedRows
    }

    /// False if it was no longer ours.
    func retry(_ claim: JobClaim, after pause: Duration, _ error: String) async throws(PostgresError) -> Bool {
        var parameters = Parameters()
        parameters.append(claim.id)
        parameters.append(claim.fence)
        parameters.append(pause.seconds)
        parameters.append(error)
        return try await database.query(JobStatements.retry, parameters).affectedRows > 0
    }

    /// False if it was no longer ours.
    func fail(_ claim: JobClaim, _ error: String) async throws(PostgresError) -> Bool {
        var parameters = Parameters()
        parameters.append(claim.id)
        parameters.append(claim.fence)
        parameters.append(error)
        return try await database.query(JobStatements.fail, parameters).affectedRows > 0
    }

    /// Returns everything that this server holds, and ends its lease.
    func leave() async throws(PostgresError) {
        _ = try await releaseAll(except: [])
        var parameters = Parameters()
        parameters.append(worker)
        _ = try await database.query(JobStatements.leave, parameters)
    }

    /// Seconds since 1970.
    func clock() async throws(PostgresError) -> Double {
        try await database.query(JobStatements.clock, .none).number(0, 0) ?? 0
    }

    /// Enqueues the tick after `clock`, unless that was done or an earlier one still waits. If it `makesUp`, the last
    /// tick comes first if none has been enqueued for it.
    func tick(
        _ name: String,
        _ recurrence: Recurrence,
        after clock: Double,
        makesUp: Bool
    ) async throws(PostgresError) {
        var parameters = Parameters()
        parameters.append(name)
        parameters.append(recurrence.description)
        parameters.append(Double(recurrence.next(after: clock)))
        parameters.append(makesUp ? Double(recurrence.last(notAfter: clock)) : -.infinity)
        _ = try await database.query(JobStatements.tick, parameters)
    }

    /// Forgets up to `count` jobs that ended in this state so long ago; how many.
    func prune(_ state: String, olderThan age: Duration, _ count: Int) async throws(PostgresError) -> Int {
        var parameters = Parameters()
        parameters.append(state)
        parameters.append(age.seconds)
        parameters.append(count)
        return try await database.query(JobStatements.prune, parameters).affectedRows
    }

    /// Jobs of other names that nobody has taken for a while, as `name (count)`.
    func unknownJobs(to names: [String]) async throws(PostgresError) -> [String] {
        var parameters = Parameters()
        parameters.append(array: names)
        let rows = try await database.query(JobStatements.unknownJobs, parameters)
        return (0..<rows.count).map { "\(rows.text($0, 0) ?? "") (\(rows.text($0, 1) ?? ""))" }
    }

    private static func parameters(_ claims: [JobClaim]) -> Parameters {
        var parameters = Parameters()
        parameters.append(array: claims.map { String($0.id) })
        parameters.append(array: claims.map { String($0.fence) })
        return parameters
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
