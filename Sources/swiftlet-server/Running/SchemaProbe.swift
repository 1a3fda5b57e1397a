import EventLoop
import Postgres

/// Reads the database's schema once, for commands.
enum SchemaProbe {
    static func read(_ environment: Environment) async throws -> Schema {
        try await run(environment) { $0.schema }
    }

    /// What `body` makes of the database with its schema. The error says why it cannot be reached.
    static func run<Value>(_ environment: Environment, _ body: (Database) async throws -> Value) async throws -> Value {
        let settings = try DatabaseSettings(environment)
        // Says at once, and in words, what keeps us from the database: a pool would only wait for it.
        _ = try BlockingConnection.connect(to: settings.url)
        let group = try EventLoopGroup.start(count: 1)
        defer { group.stop() }
        var configuration = DatabaseConfiguration(url: settings.url, connections: 1)
        configuration.isPrepared = settings.isPrepared
        // A distant database takes longer to connect to than requests should wait for it.
        configuration.outageGrace = configuration.connectTimeout
        let database = Database(configuration: configuration, group: group) { _ in }
        await database.start()
        do {
            try await database.reloadSchema()
            let value = try await body(database)
            await database.shutdown()
            return value
        } catch {
            await database.shutdown()
            throw error
        }
    }
}
