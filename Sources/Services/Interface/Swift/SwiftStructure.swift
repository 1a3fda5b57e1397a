/// A generated structure, with the initializer that other modules need.
struct SwiftStructure {
    enum Meaning {
        case plain
        case optional
        /// Tells "set to null" from "leave".
        case change
    }

    private struct Property {
        let name: String
        let column: String
        let type: String
        let meaning: Meaning
        let comment: String?

        var declared: String {
            switch meaning {
            case .plain: type
            case .optional: type + "?"
            case .change: "ColumnChange<\(type)>"
            }
        }

        var parameter: String {
            switch meaning {
            case .plain: "\(name): \(declared)"
            case .optional: "\(name): \(declared) = nil"
            case .change: "\(name): \(declared) = .leave"
            }
        }
    }

    let name: String
    let access: String
    var comment = ""
    /// The table whose rows it holds.
    var table: String?
    var relationships: [RelationshipDescription] = []
    var isIdentifiable = false
    private var properties: [Property] = []
    private var taken = TakenNames()

    init(name: String, access: String) {
        self.name = name
        self.access = access
    }

    mutating func add(_ column: String, type: String, meaning: Meaning, comment: String?) {
        let name = SwiftName.escaped(taken.take(SwiftName.member(column)))
        properties.append(Property(name: name, column: column, type: type, meaning: meaning, comment: comment))
    }

    func write(to writer: inout SourceWriter) {
        writer.comment(comment)
        let identifiable = isIdentifiable ? ", Identifiable" : ""
        writer.block("\(access) struct \(name): Codable, Hashable, Sendable\(identifiable)") { writer in
            for property in properties {
                writer.comment(property.comment)
                writer.line("\(access) var \(property.name): \(property.declared)")
            }
            if !properties.isEmpty { writer.line("") }
            writeInitializer(&writer)
            writeTable(&writer)
            guard !properties.isEmpty else { return }
            writer.line("")
            writer.block("\(access) enum CodingKeys: String, CodingKey") { writer in
                for property in properties {
                    writer.line("case \(property.name) = \(SwiftName.literal(property.column))")
                }
            }
        }
        writer.line("")
    }

    private func writeInitializer(_ writer: inout SourceWriter) {
        guard !properties.isEmpty else { return writer.line("\(access) init() {}") }
        writer.line("\(access) init(")
        for (index, property) in properties.enumerated() {
            writer.line("    \(property.parameter)\(index == properties.count - 1 ? "" : ",")")
        }
        writer.block(")") { writer in
            for property in properties { writer.line("self.\(property.name) = \(property.name)") }
        }
    }

    private func writeTable(_ writer: inout SourceWriter) {
        guard let table else { return }
        writer.line("")
        writer.line("/// The table's own name.")
        writer.line("\(access) static let relationName = \(SwiftName.literal(table))")
        writer.line("/// The rows of other tables that these refer to.")
        guard !relationships.isEmpty else {
            return writer.line("\(access) static let relationships: [Relationship] = []")
        }
        writer.line("\(access) static let relationships: [Relationship] = [")
        for relationship in relationships {
            writer.line("    Relationship(")
            writer.line("        name: \(SwiftName.literal(relationship.name)),")
            writer.line("        columns: \(list(relationship.columns)),")
            writer.line("        isOneToOne: \(relationship.isOneToOne),")
            writer.line("        referencedRelation: \(SwiftName.literal(relationship.referencedRelation)),")
            writer.line("        referencedColumns: \(list(relationship.referencedColumns))")
            writer.line("    ),")
        }
        writer.line("]")
    }

    private func list(_ names: [String]) -> String { "[\(names.map(SwiftName.literal).joined(separator: ", "))]" }
}
