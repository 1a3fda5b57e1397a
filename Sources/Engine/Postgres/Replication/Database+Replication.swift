package import SwiftletEventLoop

extension Database {
    /// Connects for replication to this database, which `url` leads to without a pooler.
    ///
    /// Of several hosts, the first is another one with each attempt, as one that hangs takes connections and says
    /// nothing. Where there are several, a former primary is not connected to, and is left when another was promoted.
    package func replicationStream(
        at url: String,
        attempt: Int = 0,
        on loop: EventLoop
    ) async throws(PostgresError) -> ReplicationStream {
        guard let settings = ConnectionSettings(parsing: url) else { throw .connectionFailure }
        return try await ReplicationStream.connect(
            settings.rotated(by: attempt),
            fence: settings.servers.count > 1 ? fence : nil,
            mayMove: mayMove || settings.servers.count > 1,
            on: loop
        )
    }
}
