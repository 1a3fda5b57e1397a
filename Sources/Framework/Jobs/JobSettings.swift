/// How much of the queue this server works on.
package struct JobSettings: Sendable {
    /// `JOB_CONCURRENCY`: jobs that run at once; 0 for a server that only enqueues.
    package var concurrency = 16
    /// `JOB_LEASE`: how long after a server's death others take over its jobs.
    package var lease: Duration = .seconds(30)
    /// The longest time between two looks at the queue.
    package var poll: Duration = .seconds(30)
    /// How long jobs that were done or cancelled, and those that have failed, stay in the history.
    package var keepsDone: Duration = .seconds(86_400)
    package var keepsFailed: Duration = .seconds(30 * 86_400)

    package init() {}
}
