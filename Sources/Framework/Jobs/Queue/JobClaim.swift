/// The right to complete a job: whoever holds an older one changes nothing.
struct JobClaim: Hashable, Sendable {
    let id: Int
    let fence: Int
}

/// A job that this server has claimed.
struct ClaimedJob: Sendable {
    let claim: JobClaim
    let name: String
    /// How many there were, with the one to come.
    let attempt: Int
    let payload: String
    let caller: JobCaller
    /// Of the request that has enqueued it.
    let requestID: String?
    /// How long ago it was due when it was claimed.
    let lateMilliseconds: Int
    var priority = JobPriority.normal
    /// In PostgreSQL's text, with all its digits.
    var due = ClaimCursor.none
}

/// What one look at the queue has found.
struct ClaimedBatch: Sendable {
    var jobs: [ClaimedJob] = []
    /// The database's clock, in seconds since 1970.
    var clock: Double = 0
    /// Until another job is due that was not when this was read; nil if none is known.
    var untilDue: Duration?
    /// Until the lease of another server ends; negative if it has.
    var untilDeath: Duration?
    /// Whether the lease of this server was renewed.
    var isRenewed = false
    /// What was due before this time is enqueued by now, but for long transactions; in PostgreSQL's text.
    var settled = ClaimCursor.none
}
