/// What the exposed schemas hold, as read at one moment. Immutable: a reload makes a new one.
final class Catalogue: Sendable {
    let relations: [QualifiedName: CatalogueRelation]
    /// By their source.
    let relationships: [QualifiedName: [Relationship]]
    let routines: [QualifiedName: [Routine]]
    /// Comments of the schemas.
    let comments: [String: String]
    /// The settings of `ALTER ROLE … SET`, which hold only for sessions that log in with the role.
    let roleSettings: [String: [RoleSetting]]

    struct RoleSetting: Hashable, Sendable {
        let name: String
        let value: String
    }

    init(
        relations: [QualifiedName: CatalogueRelation],
        relationships: [QualifiedName: [Relationship]],
        routines: [QualifiedName: [Routine]],
        comments: [String: String],
        roleSettings: [String: [RoleSetting]]
    ) {
        self.relations = relations
        self.relationships = relationships
        self.routines = routines
        self.comments = comments
        self.roleSettings = roleSettings
    }

    /// Names of the relations of a schema.
    func relationNames(in schema: String) -> [String] {
        relations.keys.filter { $0.schema == schema }.map(\.name)
    }
}
