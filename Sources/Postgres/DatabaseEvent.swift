/// Something that an operator may want to see in the log. Reported on a loop's thread: the receiver must not block.
package enum DatabaseEvent: Sendable {
    case connected(loop: Int)
    /// An established connection broke; the pool reconnects by itself.
    case connectionLost(loop: Int, reason: String)
    /// An attempt to connect failed; reported once per outage, not per attempt.
    case connectionFailed(loop: Int, reason: String)
    case schemaLoaded(version: Int, tables: Int)
    case schemaFailed(PostgresError)
}
