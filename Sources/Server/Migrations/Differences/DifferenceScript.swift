/// The statements that lead from one schema to another.
struct DifferenceScript {
    private(set) var statements: [String] = []
    /// Tables that are made, whose columns come with them.
    private var newTables: Set<String> = []
    /// What is not there any more, with all that belongs to it.
    private var gone: Set<String> = []

    /// Called for all that was there, before ``keep(_:)`` for all that is there now.
    mutating func lose(_ object: SchemaObject) { gone.insert(object.identity) }

    mutating func keep(_ object: SchemaObject) { gone.remove(object.identity) }

    mutating func make(_ object: SchemaObject) {
        if object.kind == .table { newTables.insert(object.identity) }
        if object.kind == .column, newTables.contains(object.table) { return }
        statements.append("\(object.create);")
    }

    mutating func change(_ former: SchemaObject, to object: SchemaObject) {
        switch object.kind {
        // Their columns tell it.
        case .table, .schema, .sequence: return
        case .column: changeColumn(former, to: object)
        case .type: comment("The type has changed; ALTER TYPE … ADD VALUE keeps rows", object.create)
        case .function: statements.append("\(object.create);")
        case .view where object.create.hasPrefix("CREATE OR REPLACE"): statements.append("\(object.create);")
        case .view:
            comment("Its rights and indexes go when it is made again", "\(former.drop);\n\(object.create)")
        // In the transaction of the migration, nobody sees it missing.
        default: statements.append("\(former.drop);\n\(object.create);")
        }
    }

    private mutating func changeColumn(_ former: SchemaObject, to object: SchemaObject) {
        let (old, new) = (ColumnParts(former), ColumnParts(object))
        guard let old, let new, old != new else { return comment("A column has changed", object.create) }
        guard old.generation == new.generation, old.identity == new.identity,
            new.generation.isEmpty || old.expression == new.expression
        else {
            return comment(
                "How a column is generated has changed; it has to be made again",
                "\(former.drop);\n\(object.create)"
            )
        }
        let alter = "ALTER TABLE \(object.table) ALTER COLUMN \(new.name)"
        if old.type != new.type {
            // Without USING, PostgreSQL refuses what does not fit.
            let statement = "\(alter) TYPE \(new.type)"
            if FormattedType(old.type).isWithin(FormattedType(new.type)) {
                statements.append("\(statement);")
            } else {
                comment("Values may not fit, or lose something; may need USING", statement)
            }
        }
        if old.expression != new.expression {
            statements.append(
                new.expression.isEmpty ? "\(alter) DROP DEFAULT;" : "\(alter) SET DEFAULT \(new.expression);"
            )
        }
        if !old.isRequired, new.isRequired { statements.append("\(alter) SET NOT NULL;") }
        if old.isRequired, !new.isRequired { comment("Protects rows", "\(alter) DROP NOT NULL") }
    }

    mutating func drop(_ object: SchemaObject) {
        // It goes with what it belongs to.
        if object.kind != .table, gone.contains(object.table) { return }
        switch object.kind {
        // Less may be done afterwards.
        case .grant: statements.append("\(object.drop);")
        case .table, .column, .type, .schema, .sequence: comment("Loses rows, or what other rows need", object.drop)
        case .denial, .security, .policy: comment("Opens what is closed", object.drop)
        default: comment("Protects rows, or is used by others", object.drop)
        }
    }

    /// The statement may have several lines, as names and bodies have.
    private mutating func comment(_ reason: String, _ statement: String) {
        let text = "\(reason):\n\(statement);"
        let lines: [Substring] = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        statements.append(lines.map { "-- \($0)" }.joined(separator: "\n"))
    }
}

private struct ColumnParts: Equatable {
    let name: String
    let type: String
    /// Its default, or what generates it.
    let expression: String
    let isRequired: Bool
    let generation: String
    let identity: String

    init?(_ object: SchemaObject) {
        guard object.parts.count == 6 else { return nil }
        (name, type, expression) = (object.parts[0], object.parts[1], object.parts[2])
        (isRequired, generation, identity) = (object.parts[3] == "t", object.parts[4], object.parts[5])
    }
}
