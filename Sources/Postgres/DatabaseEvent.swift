/// What an operator may want to read in the log. Told on a loop's thread: do not block.
package enum DatabaseEvent: Sendable {
    case connected(loop: Int)
    /// An established connection broke; it is being made anew.
    case connectionLost(loop: Int, reason: String)
    /// An attempt failed; told once per outage, not per attempt.
    case connectionFailed(loop: Int, reason: String)
    case schemaLoaded(version: Int, tables: Int)
    case schemaFailed(PostgresError)
}
