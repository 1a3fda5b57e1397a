import EventLoop
import Postgres
import Synchronization

/// Reads the database's schema once, for commands.
enum SchemaProbe {
    /// The error says why, also where the database cannot be reached.
    static func read(_ environment: Environment) async throws -> Schema {
        var reader = SettingsReader(environment)
        let settings = DatabaseSettings(&reader)
        guard reader.faults.isEmpty else { throw ConfigurationError(reader.faults) }
        let group = try EventLoopGroup.start(count: 1)
        defer { group.stop() }
        var configuration = DatabaseConfiguration(url: settings.url, connections: 1)
        configuration.isPrepared = settings.isPrepared
        let cause = Mutex<String?>(nil)
        let database = Database(configuration: configuration, group: group) { event in
            guard case .connectionFailed(_, let reason) = event else { return }
            cause.withLock { $0 = reason }
        }
        await database.start()
        do {
            try await database.reloadSchema()
        } catch {
            await database.shutdown()
            if let cause = cause.withLock({ $0 }) { throw CommandFailure(cause) }
            throw error
        }
        let schema = database.schema
        await database.shutdown()
        return schema
    }
}
