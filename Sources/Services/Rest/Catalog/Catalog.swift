import SwiftletWeb

/// What the exposed schemas hold, as read at one moment. Immutable: a reload makes a new one.
final class Catalog: Sendable {
    /// The server's settings with those that the database has for the role of its connections.
    let settings: RestSettings
    let relations: [QualifiedName: CatalogRelation]
    /// By their source.
    let relationships: [QualifiedName: [Relationship]]
    let routines: [QualifiedName: [Routine]]
    let mediaHandlers: MediaHandlers
    /// Comments of the schemas.
    let comments: [String: String]
    /// The settings of `ALTER ROLE … SET`, which hold only for sessions that log in with the role.
    let roleSettings: [String: [RoleSetting]]

    typealias RoleSetting = TransactionSettings.Other

    init(
        settings: RestSettings,
        relations: [QualifiedName: CatalogRelation],
        relationships: [QualifiedName: [Relationship]],
        routines: [QualifiedName: [Routine]],
        mediaHandlers: MediaHandlers,
        comments: [String: String],
        roleSettings: [String: [RoleSetting]]
    ) {
        self.settings = settings
        self.relations = relations
        self.relationships = relationships
        self.routines = routines
        self.mediaHandlers = mediaHandlers
        self.comments = comments
        self.roleSettings = roleSettings
    }

    /// Names of the relations of a schema.
    func relationNames(in schema: String) -> [String] {
        relations.keys.filter { $0.schema == schema }.map(\.name)
    }
}
