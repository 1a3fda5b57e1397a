import Logging
import Postgres

/// What the operator reads of the database's comings and goings.
struct DatabaseLog: Sendable {
    let logger: Logger

    func record(_ event: DatabaseEvent) {
        switch event {
        case .connected(let loop):
            logger.debug("database connected", metadata: ["loop": "\(loop)"])
        case .connectionLost(let loop, let reason):
            logger.warning("database connection lost", metadata: ["loop": "\(loop)", "cause": "\(reason)"])
        case .connectionFailed(let loop, let reason):
            logger.error("database unreachable", metadata: ["loop": "\(loop)", "cause": "\(reason)"])
        case .schemaLoaded(let version, let tables):
            logger.info("schema loaded", metadata: ["version": "\(version)", "tables": "\(tables)"])
        case .schemaFailed(let error):
            logger.error(
                "schema not loaded",
                metadata: ["state": "\(error.state.rawValue)", "cause": "\(error.message)"]
            )
        }
    }
}
