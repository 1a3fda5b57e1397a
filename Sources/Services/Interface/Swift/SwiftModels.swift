/// Swift types for the rows of a schema, as the source text of one file that needs Foundation alone.
///
/// Named as Supabase's generator does: `PublicSchema.TasksSelect`, `TasksInsert`, `TasksUpdate`. The text is the same
/// for the same schema, so that a difference shows what changed.
package struct SwiftModels {
    private let schema: SchemaDescription
    private let access: String
    private let names: SwiftTypeNames

    /// `access` is `public`, `package` or `internal`.
    package init(_ schema: SchemaDescription, access: String = "public") {
        self.schema = schema
        self.access = access
        names = SwiftTypeNames(schema)
    }

    package var text: String {
        var writer = SourceWriter()
        writer.line(
            "// Made by `swiftlet generate swift` from the schema \"\(schema.name.filter { $0 != "\n" })\". Do not edit."
        )
        writer.line("//")
        writer.line("// Rows are read by `\(names.schema).decoder` and written by `\(names.schema).encoder`.")
        writer.line("")
        writer.line("import Foundation")
        writer.line("")
        writer.block("\(access) enum \(names.schema)") { writer in
            for enumeration in schema.enumerations {
                let name = names.enumerations[enumeration.name] ?? enumeration.name
                SwiftEnumeration(name: name, words: enumeration.labels, access: access).write(to: &writer)
            }
            for composite in schema.composites { write(composite, &writer) }
            for relation in schema.relations { write(relation, &writer) }
        }
        writer.line("")
        writer.text(SwiftSupport.text(schema: names.schema, access: access))
        return writer.source
    }

    private func write(_ composite: CompositeDescription, _ writer: inout SourceWriter) {
        var structure = SwiftStructure(name: names.composites[composite.name] ?? "_", access: access)
        structure.comment = "The composite type `\(composite.name)`."
        for column in composite.columns {
            structure.add(column.name, type: names.type(column.type), meaning: .optional, comment: column.comment)
        }
        structure.write(to: &writer)
    }

    private func write(_ relation: RelationDescription, _ writer: inout SourceWriter) {
        for column in relation.columns {
            guard let name = names.checks[relation.name]?[column.name] else { continue }
            SwiftEnumeration(name: name, words: column.words, access: access).write(to: &writer)
        }
        guard let types = names.relations[relation.name] else { return }
        var select = SwiftStructure(name: types.select, access: access)
        select.comment = relation.comment ?? "A row of `\(relation.name)`."
        select.table = relation.name
        select.relationships = relation.relationships
        for column in relation.columns {
            let isOptional = column.isNullable && !relation.primaryKey.contains(column.name)
            select.add(
                column.name,
                type: type(of: column, relation),
                meaning: isOptional ? .optional : .plain,
                comment: column.comment
            )
        }
        select.isIdentifiable = relation.primaryKey == ["id"]
        select.write(to: &writer)
        guard !relation.isView else { return }

        var insert = SwiftStructure(name: types.insert, access: access)
        insert.comment = "A new row of `\(relation.name)`: what is nil is left to the database."
        var update = SwiftStructure(name: types.update, access: access)
        update.comment = "A change of a row of `\(relation.name)`: what is nil, or `.leave`, stays as it is."
        for column in relation.columns where !column.isGenerated {
            let type = type(of: column, relation)
            let isOptional = column.isNullable || column.hasDefault
            insert.add(column.name, type: type, meaning: isOptional ? .optional : .plain, comment: nil)
            update.add(column.name, type: type, meaning: column.isNullable ? .change : .optional, comment: nil)
        }
        insert.write(to: &writer)
        update.write(to: &writer)
    }

    private func type(of column: ColumnDescription, _ relation: RelationDescription) -> String {
        names.checks[relation.name]?[column.name] ?? names.type(column.type)
    }
}
