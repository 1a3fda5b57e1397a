/// Something that an operator may want to see in the log. Reported on a loop's thread: the receiver must not block.
package enum DatabaseEvent: Sendable {
    case connected(loop: Int)
    /// An established connection broke; the pool reconnects by itself.
    case connectionLost(loop: Int, reason: String)
    /// An attempt to connect failed; reported once per outage, not per attempt.
    case connectionFailed(loop: Int, reason: String)
    /// Some connections are up, but for seconds not all of them; reported once until all are.
    case connectionsMissing(loop: Int, up: Int, wanted: Int, reason: String)
    /// Changes of the schema go unnoticed, while queries are served; reported once until listening succeeds.
    case listeningFailed(reason: String)
    case schemaLoaded(version: Int, tables: Int)
    case schemaFailed(PostgresError)
}
