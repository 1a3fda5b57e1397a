package import SwiftletPostgres

extension SchemaDescription {
    /// What the catalog says about one schema. Objects that extensions made are left out: they are nobody's models. Throws
    /// if there is no such schema.
    package init(of schema: String, in catalog: Catalog) throws(DescriptionError) {
        guard catalog.schemas[schema] != nil else { throw .noSchema(schema) }
        let types = DescribedTypes(schema: schema, types: catalog.types)
        func described(_ tables: [QualifiedName: Table]) -> [Table] {
            tables.values.filter { $0.schema == schema && !$0.isOfExtension }.sorted { $0.name < $1.name }
        }
        let relations = described(catalog.tables).map { table in
            RelationDescription(
                name: table.name,
                isView: table.isView,
                comment: table.comment,
                columns: table.columns.map { ColumnDescription($0, of: table, types) },
                primaryKey: table.primaryKey,
                relationships: table.foreignKeys.filter { $0.foreignSchema == schema }
                    .map { RelationshipDescription($0, of: table) },
                takesInserts: table.changes.contains(.insert),
                takesUpdates: table.changes.contains(.update)
            )
        }
        let composites = described(catalog.composites).map { composite in
            CompositeDescription(
                name: composite.name,
                columns: composite.columns.map { ColumnDescription($0, of: composite, types, isNullable: true) }
            )
        }
        let routines = catalog.routines.filter { $0.name.schema == schema && !$0.isOfExtension }
        self.init(
            name: schema,
            relations: relations,
            enumerations: types.enumerations(usedBy: relations.map(\.columns) + composites.map(\.columns)),
            composites: composites,
            routines: routines.sorted { $0.order < $1.order }.map { RoutineDescription($0, in: schema, types) }
        )
    }
}

extension ColumnDescription {
    fileprivate init(_ column: Column, of table: Table, _ types: DescribedTypes, isNullable: Bool? = nil) {
        let type = types.type(column.type.declared)
        self.init(
            name: column.name,
            type: type,
            isNullable: isNullable ?? column.isNullable,
            hasDefault: column.hasDefault,
            isGenerated: column.isGenerated && !table.isView,
            words: type.isText
                ? column.checks.lazy.compactMap { CheckList($0, column: column.name)?.words }.last ?? [] : [],
            comment: column.comment
        )
    }
}

extension ValueType {
    fileprivate var isText: Bool { self == .base("text") || self == .base("varchar") || self == .base("bpchar") }
}

extension RelationshipDescription {
    fileprivate init(_ key: Table.ForeignKey, of table: Table) {
        let columns = Set(key.columns)
        self.init(
            name: key.name,
            columns: key.columns,
            isOneToOne: ([table.primaryKey] + table.uniqueKeys).contains { Set($0) == columns },
            referencedRelation: key.foreignTable,
            referencedColumns: key.foreignColumns
        )
    }
}

extension Routine {
    /// By name, then by the types of the arguments.
    fileprivate var order: (String, String) {
        (name.name, arguments.map { "\($0.name) \($0.type)" }.joined(separator: ", "))
    }
}

extension RoutineDescription {
    fileprivate init(_ routine: Routine, in schema: String, _ types: DescribedTypes) {
        func argument(_ name: String, _ oid: UInt32, hasDefault: Bool = false) -> Argument {
            Argument(name: name, type: types.type(oid), hasDefault: hasDefault)
        }
        let outputs = routine.outputs.map { argument($0.name, $0.oid) }
        let result: Result
        switch routine.result {
        case .rows(let relation?, _) where relation.schema == schema:
            result = .rows(relation: relation.name)
        case _ where outputs.count > 1 || routine.returnsSet && !outputs.isEmpty:
            result = .fields(outputs)
        case .void:
            result = .nothing
        case .rows(_, let oid), .scalar(_, let oid):
            result = .value(types.type(oid))
        }
        self.init(
            name: routine.name.name,
            arguments: routine.arguments.map { argument($0.name, $0.oid, hasDefault: $0.hasDefault) },
            result: result,
            returnsSet: routine.returnsSet,
            rowOf: routine.rowOf.flatMap { $0.schema == schema ? $0.name : nil },
            returnsOneRow: routine.returnsOneRow
        )
    }
}
