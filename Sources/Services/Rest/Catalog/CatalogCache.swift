import SwiftletPostgres
import Synchronization

/// The current ``RestCatalog``, made anew as soon as the database's schema has changed. While it is made, the old one
/// serves.
final class CatalogCache: Sendable {
    private let database: Database
    private let settings: RestSettings
    private let state = Mutex(State())

    private struct State {
        var known: (catalog: RestCatalog, version: Int)?
        var making: (task: Task<RestCatalog, Never>, version: Int)?
    }

    init(database: Database, settings: RestSettings) {
        self.database = database
        self.settings = settings
        database.readSchemas(settings.schemas + settings.extraSearchPath)
        database.whenSchemaIsRead { [weak self] in
            guard let self else { return }
            _ = self.catalog(of: self.database.schema)
        }
    }

    /// The catalog at hand; the first caller waits for it. Throws ``PostgresError``.
    func current() async throws(PostgresError) -> RestCatalog {
        if let known = state.withLock({ $0.known?.catalog }) { return known }
        if database.schema.version == 0 { try await database.reloadSchema() }
        return await catalog(of: database.schema).value
    }

    /// After a request found something missing: a catalog that was read later than the request came.
    func afterMiss(of started: ContinuousClock.Instant) async throws(PostgresError) -> RestCatalog {
        try await database.reloadSchema(after: started)
        return await catalog(of: database.schema).value
    }

    /// It takes long for a large schema, so neither a loop makes it nor two callers.
    private func catalog(of schema: Schema) -> Task<RestCatalog, Never> {
        state.withLock { state in
            if let (catalog, version) = state.known, version >= schema.version { return Task { catalog } }
            if let (task, version) = state.making, version >= schema.version { return task }
            let task = Task { [settings] in
                let catalog = RestCatalog(schema.catalog, settings)
                self.state.withLock { state in
                    if state.making?.version == schema.version { state.making = nil }
                    if state.known.map({ $0.version < schema.version }) ?? true {
                        state.known = (catalog, schema.version)
                    }
                }
                return catalog
            }
            state.making = (task, schema.version)
            return task
        }
    }
}
