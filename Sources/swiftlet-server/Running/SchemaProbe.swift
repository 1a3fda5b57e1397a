import EventLoop
import Postgres

/// Reads the catalog once, for commands.
enum SchemaProbe {
    static func read(_ url: String) async throws -> Schema {
        let group = try EventLoopGroup.start(count: 1)
        let database = Database(configuration: DatabaseConfiguration(url: url, connections: 1), group: group) { _ in }
        defer { group.stop() }
        await database.start()
        do {
            try await database.reloadSchema()
        } catch {
            await database.shutdown()
            throw error
        }
        let schema = database.schema
        await database.shutdown()
        return schema
    }
}
