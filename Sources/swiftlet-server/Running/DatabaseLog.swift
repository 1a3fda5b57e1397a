import Logging
import Postgres
import Synchronization

/// Logs the events of the database, and announces changes of its schema.
final class DatabaseLog: Sendable {
    /// Has a new element whenever a changed catalog was read.
    let schemaChanges: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let version = Mutex(0)
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
        (schemaChanges, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Called on an event loop's thread; must not block.
    func record(_ event: DatabaseEvent) {
        switch event {
        case .connected(let loop):
            logger.debug("database connected", metadata: ["loop": "\(loop)"])
        case .connectionLost(let loop, let reason):
            logger.warning("database connection lost", metadata: ["loop": "\(loop)", "cause": "\(reason)"])
        case .connectionFailed(let loop, let reason):
            logger.error("database unreachable", metadata: ["loop": "\(loop)", "cause": "\(reason)"])
        case .schemaLoaded(let version, let tables):
            let isNew = self.version.withLock { known in
                defer { known = version }
                return known != version
            }
            guard isNew else { return }
            logger.info("schema loaded", metadata: ["version": "\(version)", "tables": "\(tables)"])
            changed.yield()
        case .schemaFailed(let error):
            logger.error(
                "schema not loaded",
                metadata: ["state": "\(error.state.rawValue)", "cause": "\(error.message)"]
            )
        }
    }
}
