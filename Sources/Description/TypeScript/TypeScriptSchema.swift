/// One schema: `Tables`, `Views`, `Functions`, `Enums` and `CompositeTypes`.
struct TypeScriptSchema {
    private let schema: SchemaDescription

    init(_ schema: SchemaDescription) { self.schema = schema }

    func write(to writer: inout SourceWriter) {
        write("Tables", schema.relations.filter { !$0.isView }, &writer) { $1.write($0, to: &$2) }
        write("Views", schema.relations.filter(\.isView), &writer) { $1.write($0, to: &$2) }
        writer.block("Functions:") { writer in
            let routines = schema.routines.filter {
                $0.arguments.allSatisfy { !$0.name.isEmpty } || $0.arguments.count == 1
            }
            for (name, overloads) in Self.grouped(routines) {
                let forms = overloads.map { "{ Args: \(arguments($0)); Returns: \(result($0)) }" }
                writer.line("\(TypeScriptModels.key(name)): \(forms.joined(separator: " | "))")
            }
            if routines.isEmpty { writer.line("[_ in never]: never") }
        }
        writer.block("Enums:") { writer in
            for enumeration in schema.enumerations {
                let labels = enumeration.labels.map(TypeScriptModels.literal).joined(separator: " | ")
                writer.line("\(TypeScriptModels.key(enumeration.name)): \(labels.isEmpty ? "never" : labels)")
            }
            if schema.enumerations.isEmpty { writer.line("[_ in never]: never") }
        }
        writer.block("CompositeTypes:") { writer in
            for composite in schema.composites {
                writer.block("\(TypeScriptModels.key(composite.name)):") { writer in
                    for column in composite.columns { writer.line(field(column)) }
                }
            }
            if schema.composites.isEmpty { writer.line("[_ in never]: never") }
        }
    }

    private func write(
        _ title: String,
        _ relations: [RelationDescription],
        _ writer: inout SourceWriter,
        _ body: (RelationDescription, TypeScriptSchema, inout SourceWriter) -> Void
    ) {
        writer.block("\(title):") { writer in
            for relation in relations { body(relation, self, &writer) }
            if relations.isEmpty { writer.line("[_ in never]: never") }
        }
    }

    private func write(_ relation: RelationDescription, to writer: inout SourceWriter) {
        writer.block("\(TypeScriptModels.key(relation.name)):") { writer in
            writer.block("Row:") { writer in
                for column in relation.columns { writer.line(field(column)) }
            }
            if relation.takesInserts {
                writer.block("Insert:") { writer in
                    for column in relation.columns {
                        let isOptional = column.isNullable || column.hasDefault || relation.isView
                        writer.line(column.isGenerated ? never(column) : field(column, isOptional: isOptional))
                    }
                }
            }
            if relation.takesUpdates {
                writer.block("Update:") { writer in
                    for column in relation.columns {
                        writer.line(column.isGenerated ? never(column) : field(column, isOptional: true))
                    }
                }
            }
            writer.line("Relationships: [")
            for relationship in relation.relationships { write(relationship, to: &writer) }
            writer.line("]")
        }
    }

    private func write(_ relationship: RelationshipDescription, to writer: inout SourceWriter) {
        let list = { (names: [String]) in "[\(names.map(TypeScriptModels.literal).joined(separator: ", "))]" }
        writer.line("  {")
        writer.line("    foreignKeyName: \(TypeScriptModels.literal(relationship.name))")
        writer.line("    columns: \(list(relationship.columns))")
        writer.line("    isOneToOne: \(relationship.isOneToOne)")
        writer.line("    referencedRelation: \(TypeScriptModels.literal(relationship.referencedRelation))")
        writer.line("    referencedColumns: \(list(relationship.referencedColumns))")
        writer.line("  },")
    }

    /// What the database alone sets.
    private func never(_ column: ColumnDescription) -> String { "\(TypeScriptModels.key(column.name))?: never" }

    private func field(_ column: ColumnDescription, isOptional: Bool = false) -> String {
        let words = column.words.map(TypeScriptModels.literal).joined(separator: " | ")
        let type = words.isEmpty ? type(column.type) : words
        return
            "\(TypeScriptModels.key(column.name))\(isOptional ? "?" : ""): \(type)\(column.isNullable ? " | null" : "")"
    }

    private func type(_ type: ValueType) -> String {
        switch type {
        case .array(let element):
            if case .base = element { return "\(self.type(element))[]" }
            return "(\(self.type(element)))[]"
        case .enumeration(let name):
            guard let labels = schema.enumerations.first(where: { $0.name == name })?.labels else { return "string" }
            return labels.isEmpty ? "never" : labels.map(TypeScriptModels.literal).joined(separator: " | ")
        case .composite(let name):
            let path = [schema.name, "CompositeTypes", name].map { "[\(TypeScriptModels.literal($0))]" }
            return "Database" + path.joined()
        case .base(let name): return Self.base[name] ?? "string"
        }
    }

    private static let base = [
        "int2": "number", "int4": "number", "int8": "number", "oid": "number", "float4": "number", "float8": "number",
        "numeric": "number", "bool": "boolean", "json": "Json", "jsonb": "Json", "void": "undefined",
        "record": "Record<string, unknown>",
    ]

    private func arguments(_ routine: RoutineDescription) -> String {
        guard !routine.arguments.isEmpty else { return "never" }
        // A single argument may have no name.
        return "{ "
            + routine.arguments.map { argument in
                let name = TypeScriptModels.key(argument.name)
                return "\(name)\(argument.hasDefault ? "?" : ""): \(type(argument.type))"
            }.joined(separator: "; ") + " }"
    }

    private func result(_ routine: RoutineDescription) -> String {
        let one: String
        switch routine.result {
        case .nothing: return "undefined"
        case .value(let type): one = self.type(type)
        case .rows(let relation):
            let kind = schema.relations.first { $0.name == relation }?.isView == true ? "Views" : "Tables"
            one =
                "Database" + [schema.name, kind, relation, "Row"].map { "[\(TypeScriptModels.literal($0))]" }.joined()
        case .fields(let fields):
            one =
                "{ " + fields.map { "\(TypeScriptModels.key($0.name)): \(type($0.type))" }.joined(separator: "; ")
                + " }"
        }
        return routine.returnsSet ? "(\(one))[]" : one
    }

    /// In the order of the first of each name.
    private static func grouped(_ routines: [RoutineDescription]) -> [(String, [RoutineDescription])] {
        routines.reduce(into: []) { groups, routine in
            if groups.last?.0 == routine.name {
                groups[groups.count - 1].1.append(routine)
            } else {
                groups.append((routine.name, [routine]))
            }
        }
    }
}
