import Logging
import SwiftletPostgres
import Synchronization

/// Logs the events of the database, and announces changes of its schema.
final class DatabaseLog: Sendable {
    /// Has a new element whenever a changed catalog was read.
    let schemaChanges: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let version = Mutex(0)
    /// The loops whose outage was logged.
    private let unreachable = Mutex<Set<Int>>([])
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
        (schemaChanges, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Called on an event loop's thread; must not block.
    func record(_ event: DatabaseEvent) {
        switch event {
        case .connected(let loop):
            let isBack = unreachable.withLock { $0.remove(loop) != nil }
            let message: Logger.Message = isBack ? "database reachable again" : "database connected"
            logger.log(level: isBack ? .info : .debug, message, metadata: ["loop": "\(loop)"])
        case .connectionLost(let loop, let reason):
            logger.warning("database connection lost", metadata: ["loop": "\(loop)", "cause": "\(reason)"])
        case .connectionFailed(let loop, let reason):
            unreachable.withLock { _ = $0.insert(loop) }
            logger.error("database unreachable", metadata: ["loop": "\(loop)", "cause": "\(reason)"])
        case .connectionsMissing(let loop, let up, let wanted, let reason):
            logger.warning(
                "fewer database connections than configured",
                metadata: ["loop": "\(loop)", "up": "\(up)", "wanted": "\(wanted)", "cause": "\(reason)"]
            )
        case .listeningFailed(let reason):
            logger.warning("changes of the schema go unnoticed", metadata: ["cause": "\(reason)"])
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
