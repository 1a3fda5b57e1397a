/// What PostgreSQL's catalog says of the schemas that are read, as it was at one moment.
///
/// Resources, `/rest/v1`, both OpenAPI documents and the generators of models are made from it. Immutable: a reading
/// makes a new one.
package final class Catalog: Sendable {
    package let types: TypeCatalog
    /// Tables, views, materialized and foreign tables. Partitions are part of their table.
    package let tables: [QualifiedName: Table]
    /// Types made of columns that are no table's.
    package let composites: [QualifiedName: Table]
    /// By schema, name and number.
    package let routines: [Routine]
    package let mediaAggregates: [MediaAggregate]
    /// Of the others only the keys are known, and no columns.
    package let readSchemas: Set<String>
    /// The comments of all schemas; empty for none.
    package let schemas: [String: String]
    /// PostgREST's settings of the role that the server connects as, without their prefix `pgrst.`; of two of one name
    /// the last one counts.
    package let ownSettings: [RoleSetting]
    /// The settings of `ALTER ROLE … SET`, which hold only for sessions that log in with the role.
    package let roleSettings: [String: [RoleSetting]]

    package init(
        types: TypeCatalog = TypeCatalog(),
        tables: [QualifiedName: Table] = [:],
        composites: [QualifiedName: Table] = [:],
        routines: [Routine] = [],
        mediaAggregates: [MediaAggregate] = [],
        readSchemas: Set<String> = [],
        schemas: [String: String] = [:],
        ownSettings: [RoleSetting] = [],
        roleSettings: [String: [RoleSetting]] = [:]
    ) {
        self.types = types
        self.tables = tables
        self.composites = composites
        self.routines = routines
        self.mediaAggregates = mediaAggregates
        self.readSchemas = readSchemas
        self.schemas = schemas
        self.ownSettings = ownSettings
        self.roleSettings = roleSettings
    }

    package static let empty = Catalog()

    /// Tables by bare name. Of two schemas with a table of the same name, the one listed first counts.
    package func tables(in schemas: [String]) -> [String: Table] {
        var places: [String: Int] = [:]
        for (place, schema) in schemas.enumerated() where places[schema] == nil { places[schema] = place }
        var found: [String: (place: Int, table: Table)] = [:]
        for (name, table) in tables {
            guard let place = places[name.schema] else { continue }
            if let other = found[name.name], other.place < place { continue }
            found[name.name] = (place, table)
        }
        return found.mapValues(\.table)
    }
}

extension Catalog: Equatable {
    package static func == (first: Catalog, second: Catalog) -> Bool {
        first.types == second.types && first.tables == second.tables && first.composites == second.composites
            && first.routines == second.routines && first.mediaAggregates == second.mediaAggregates
            && first.readSchemas == second.readSchemas && first.schemas == second.schemas
            && first.ownSettings == second.ownSettings
            && first.roleSettings == second.roleSettings
    }
}

/// One setting of a role.
package struct RoleSetting: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether it is that of a name, in lower case, which PostgreSQL compares without regard to case.
    package func sets(_ name: String) -> Bool {
        self.name.utf8.count == name.utf8.count && self.name.lowercased() == name
    }
}

/// An aggregate over rows whose result is a domain that is named like a media type.
package struct MediaAggregate: Hashable, Sendable {
    package let function: QualifiedName
    /// The relation or type of the rows that it takes; nil for any.
    package let argument: QualifiedName?
    /// The domain's name, such as `text/html`.
    package let mediaType: String
    /// The domain is one over `bytea`.
    package let isBytes: Bool
}
