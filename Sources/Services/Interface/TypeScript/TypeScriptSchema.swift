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
                writer.line("\(TypeScriptModels.key(name)): \(overloads.map(form).joined(separator: " | "))")
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

    /// The labels of enumerations as values, for lists of choices.
    func writeConstants(to writer: inout SourceWriter) {
        writer.block("Enums:", end: "},") { writer in
            for enumeration in schema.enumerations {
                let labels = enumeration.labels.map(TypeScriptModels.literal).joined(separator: ", ")
                writer.line("\(TypeScriptModels.key(enumeration.name)): [\(labels)],")
            }
        }
    }

    /// The functions whose value clients select like a column. A column of the same name hides one.
    private func computed(_ relation: RelationDescription) -> [RoutineDescription] {
        schema.routines.filter { routine in
            guard case .value = routine.result, !routine.returnsSet, routine.rowOf == relation.name else {
                return false
            }
            return !relation.columns.contains { $0.name == routine.name }
        }
    }

    private func form(_ routine: RoutineDescription) -> String {
        "{ Args: \(arguments(routine)); Returns: \(result(routine))\(setofOptions(routine)) }"
    }

    /// Of functions that return rows: what clients may embed them in, as what.
    private func setofOptions(_ routine: RoutineDescription) -> String {
        guard case .rows(let relation) = routine.result else { return "" }
        return """
            ; SetofOptions: { from: \(TypeScriptModels.literal(routine.rowOf ?? "*")); \
            to: \(TypeScriptModels.literal(relation)); isOneToOne: \(routine.returnsOneRow); \
            isSetofReturn: \(routine.returnsSet) }
            """
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
                for routine in computed(relation) {
                    writer.line("\(TypeScriptModels.key(routine.name)): \(result(routine)) | null")
                }
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
            guard schema.enumerations.contains(where: { $0.name == name }) else { return "string" }
            return "Database" + [schema.name, "Enums", name].map { "[\(TypeScriptModels.literal($0))]" }.joined()
        case .composite(let name):
            let path = [schema.name, "CompositeTypes", name].map { "[\(TypeScriptModels.literal($0))]" }
            return "Database" + path.joined()
        case .base(let name): return Self.base[name] ?? "string"
        }
    }

    private static let base = [
        "int2": "number", "int4": "number", "int8": "number", "oid": "string", "float4": "number", "float8": "number",
        "numeric": "number", "bool": "boolean", "json": "Json", "jsonb": "Json", "void": "undefined",
        "record": "Record<string, unknown>",
    ]

    private func arguments(_ routine: RoutineDescription) -> String {
        guard !routine.arguments.isEmpty else { return "never" }
        // A single argument may have no name.
        return "{ "
            + routine.arguments.map { argument in
                let name = TypeScriptModels.key(argument.name)
                let type = routine.rowOf.map(row(of:)) ?? type(argument.type)
                return "\(name)\(argument.hasDefault ? "?" : ""): \(type)"
            }.joined(separator: "; ") + " }"
    }

    private func result(_ routine: RoutineDescription) -> String {
        let one: String
        switch routine.result {
        case .nothing: return "undefined"
        case .value(let type): one = self.type(type)
        case .rows(let relation):
            one = columns(of: relation)
        case .fields(let fields):
            one =
                "{ " + fields.map { "\(TypeScriptModels.key($0.name)): \(type($0.type))" }.joined(separator: "; ")
                + " }"
        }
        return routine.returnsSet ? "(\(one))[]" : one
    }

    /// What a function returns of a relation: its columns alone.
    private func columns(of relation: String) -> String {
        guard let described = schema.relations.first(where: { $0.name == relation }) else { return row(of: relation) }
        let names = computed(described).map { TypeScriptModels.literal($0.name) }
        return names.isEmpty ? row(of: relation) : "Omit<\(row(of: relation)), \(names.joined(separator: " | "))>"
    }

    private func row(of relation: String) -> String {
        let kind = schema.relations.first { $0.name == relation }?.isView == true ? "Views" : "Tables"
        return "Database" + [schema.name, kind, relation, "Row"].map { "[\(TypeScriptModels.literal($0))]" }.joined()
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
