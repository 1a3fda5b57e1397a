import SwiftletPostgres
import SwiftletWeb

/// What the exposed schemas hold, of the database's catalog as it was read at one moment. Immutable: a reload makes a new
/// one.
final class RestCatalog: Sendable {
    /// The server's settings with those that the database has for the role of its connections.
    let settings: RestSettings
    /// The schemas in which the names of a request to an exposed schema are found, as `search_path` takes them.
    let searchPaths: [String: String]
    /// Views have the primary keys of what they show.
    let relations: [QualifiedName: Table]
    /// By their source.
    let relationships: [QualifiedName: [Relationship]]
    /// Several of a name are in PostgREST's order.
    let routines: [QualifiedName: [Routine]]
    let mediaHandlers: MediaHandlers
    /// Comments of the schemas.
    let comments: [String: String]
    /// The settings of `ALTER ROLE … SET`, which hold only for sessions that log in with the role.
    let roleSettings: [String: [RoleSetting]]

    init(_ catalog: Catalog, _ settings: RestSettings) {
        var settings = settings
        for setting in catalog.ownSettings { _ = settings.set(setting.name, to: setting.value) }
        self.settings = settings
        searchPaths = settings.schemas.reduce(into: [:]) { $0[$1] = settings.searchPath(of: $1) }
        let schemas = catalog.readSchemas.intersection(settings.schemas)
        // A view may show a table through one of a schema that is not exposed.
        let keys = KeyCatalog(catalog.tables, viewsIn: schemas.union(settings.extraSearchPath))
        let relations = catalog.tables.filter { schemas.contains($0.key.schema) }
            .reduce(into: [QualifiedName: Table]()) { relations, entry in
                var table = entry.value
                table.primaryKey = keys.primaryKeys[entry.key] ?? []
                relations[entry.key] = table
            }
        let exposed = catalog.routines.filter { schemas.contains($0.name.schema) }
        let all = RelationshipReader.relationships(keys) + exposed.compactMap { Relationship(computedBy: $0) }
        // Relations of other schemas can neither be named nor join others.
        let relationships = all.filter { relationship in
            if case .through(let junction) = relationship.link, relations[junction.relation] == nil { return false }
            return relations[relationship.source] != nil && relations[relationship.target] != nil
        }
        self.relations = relations
        self.relationships = Dictionary(grouping: relationships, by: \.source)
        routines = Dictionary(grouping: exposed.filter(\.isCallable), by: \.name)
            .mapValues { overloads in overloads.sorted { $0.precedes($1) } }
        let aggregates = catalog.mediaAggregates.filter { schemas.contains($0.function.schema) }
        mediaHandlers = MediaHandlers(aggregates: aggregates, routines: exposed)
        comments = catalog.schemas.filter { schemas.contains($0.key) && !$0.value.isEmpty }
        roleSettings = catalog.roleSettings
    }

    /// Names of the relations of a schema.
    func relationNames(in schema: String) -> [String] {
        relations.keys.filter { $0.schema == schema }.map(\.name)
    }
}

extension Table {
    /// Some values leave in another form than PostgreSQL's.
    var hasRepresentations: Bool { columns.contains { $0.representation.toJSON != nil } }
}
