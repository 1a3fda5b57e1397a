import SwiftletEventLoop
import SwiftletPostgres

/// The database for a command that ends, such as `doctor` and `functions`: one connection, closed afterwards.
enum CommandDatabase {
    /// The database's tables and columns. Throws an error that says why the database cannot be reached.
    static func schema(_ environment: Environment) async throws -> Schema {
        try await use(environment) { $0.schema }
    }

    /// Runs `body` with the database once its schema has been read. Throws an error that says why the database
    /// cannot be reached, and what `body` throws.
    static func use<Value>(_ environment: Environment, _ body: (Database) async throws -> Value) async throws -> Value {
        let settings = try DatabaseSettings(environment)
        // Fails at once, with the reason; a pool would wait for the database instead.
        _ = try BlockingConnection.connect(to: settings.url)
        let group = try EventLoopGroup.start(count: 1)
        defer { group.stop() }
        var configuration = DatabaseConfiguration(url: settings.url, connections: 1)
        configuration.isPrepared = settings.isPrepared
        // A command may wait longer for a connection than a request.
        configuration.outageGrace = configuration.connectTimeout
        let database = Database(configuration: configuration, group: group) { _ in }
        database.start()
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
