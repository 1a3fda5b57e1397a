/// What the catalog of a database says about one schema, in a stable order.
package struct SchemaDescription: Sendable, Equatable {
    package let name: String
    /// By name.
    package let relations: [RelationDescription]
    /// PostgreSQL's own enumerations, by name, those of other schemas that a column has among them.
    package let enumerations: [EnumerationDescription]
    /// By name.
    package let composites: [CompositeDescription]
    /// By name, then by arguments.
    package let routines: [RoutineDescription]

    package init(
        name: String,
        relations: [RelationDescription],
        enumerations: [EnumerationDescription] = [],
        composites: [CompositeDescription] = [],
        routines: [RoutineDescription] = []
    ) {
        self.name = name
        self.relations = relations
        self.enumerations = enumerations
        self.composites = composites
        self.routines = routines
    }

    /// The same with these tables and views alone, and the types that they use. Throws for a name that is none.
    package func limited(to tables: [String]) throws(DescriptionError) -> SchemaDescription {
        for table in tables where !relations.contains(where: { $0.name == table }) {
            throw .noTable(table, schema: name)
        }
        let kept = relations.filter { tables.contains($0.name) }
        var used = kept.flatMap(\.columns).reduce(into: Set<String>()) { $0.formUnion($1.type.names) }
        // Types of composite types, at any depth.
        var count = -1
        while count < used.count {
            count = used.count
            for composite in composites where used.contains(composite.name) {
                for column in composite.columns { used.formUnion(column.type.names) }
            }
        }
        return SchemaDescription(
            name: name,
            relations: kept,
            enumerations: enumerations.filter { used.contains($0.name) },
            composites: composites.filter { used.contains($0.name) }
        )
    }
}

/// A table or a view.
package struct RelationDescription: Sendable, Equatable {
    package let name: String
    package let isView: Bool
    package let comment: String?
    /// In the order of the table.
    package let columns: [ColumnDescription]
    package let primaryKey: [String]
    package let relationships: [RelationshipDescription]
    package let takesInserts: Bool
    package let takesUpdates: Bool
}

package struct ColumnDescription: Sendable, Equatable {
    package let name: String
    package let type: ValueType
    package let isNullable: Bool
    package let hasDefault: Bool
    /// Computed by the database, or an identity that takes no other value.
    package let isGenerated: Bool
    /// The words that a CHECK constraint allows; empty if there is no such list.
    package let words: [String]
    package let comment: String?
}

/// A foreign key.
package struct RelationshipDescription: Sendable, Equatable {
    package let name: String
    package let columns: [String]
    package let isOneToOne: Bool
    package let referencedRelation: String
    package let referencedColumns: [String]
}

package struct EnumerationDescription: Sendable, Equatable {
    package let name: String
    package let labels: [String]
}

package struct CompositeDescription: Sendable, Equatable {
    package let name: String
    package let columns: [ColumnDescription]
}

/// A function of the database.
package struct RoutineDescription: Sendable, Equatable {
    package struct Argument: Sendable, Equatable {
        package let name: String
        package let type: ValueType
        package let hasDefault: Bool
    }

    package enum Result: Sendable, Equatable {
        case nothing
        case value(ValueType)
        /// Rows of a table or view of the schema.
        case rows(relation: String)
        /// What `RETURNS TABLE` and OUT arguments name.
        case fields([Argument])
    }

    package let name: String
    package let arguments: [Argument]
    package let result: Result
    package let returnsSet: Bool
    /// The table or view of the schema whose rows are its only argument: clients select it like a column, or embed it.
    package let rowOf: String?
    /// Whether it returns one row at most.
    package let returnsOneRow: Bool
}

/// A column's type without its domain.
package indirect enum ValueType: Sendable, Equatable {
    /// A type of PostgreSQL's own, by its short name: `int4`, `timestamptz`.
    case base(String)
    case enumeration(String)
    case composite(String)
    case array(ValueType)

    /// The enumerations and composite types in it.
    var names: Set<String> {
        switch self {
        case .base: []
        case .enumeration(let name), .composite(let name): [name]
        case .array(let element): element.names
        }
    }
}

package enum DescriptionError: Error, CustomStringConvertible, Equatable {
    case noSchema(String)
    case noTable(String, schema: String)

    package var description: String {
        switch self {
        case .noSchema(let name): "the database has no schema \"\(name)\""
        case .noTable(let name, let schema): "the schema \"\(schema)\" has no table or view \"\(name)\""
        }
    }
}
