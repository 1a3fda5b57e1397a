import SwiftletPostgres
import SwiftletJSON

/// A relation in the OpenAPI description.
struct SwaggerRelation {
    private let relation: Table

    init(_ relation: Table) { self.relation = relation }

    private var name: String { relation.name }

    // MARK: - The path

    func writePath(_ json: inout JSONWriter) {
        let filters = relation.columns.map { "rowFilter.\(name).\($0.name)" }
        json.object { json in
            let pages = ["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"]
            write("get", filters + pages, &json) { json in
                json.member(
                    "200",
                    [
                        "description": "OK",
                        "schema": ["type": "array", "items": ["$ref": .string("#/definitions/\(name)")]],
                    ]
                )
                json.member("206", ["description": "Partial Content"])
            }
            let changes = relation.changes
            if changes.contains(.insert) {
                write("post", ["body.\(name)", "select", "preferPost"], &json) { json in
                    json.member("201", ["description": "Created"])
                }
            }
            if changes.contains(.update) {
                write("patch", filters + ["body.\(name)", "preferReturn"], &json) { json in
                    json.member("204", ["description": "No Content"])
                }
            }
            if changes.contains(.delete) {
                write("delete", filters + ["preferReturn"], &json) { json in
                    json.member("204", ["description": "No Content"])
                }
            }
        }
    }

    private func write(
        _ method: String,
        _ parameters: [String],
        _ json: inout JSONWriter,
        responses: (inout JSONWriter) -> Void
    ) {
        let comment = SwaggerComment(relation.comment)
        json.key(method)
        json.object { json in
            json.member("tags", [.string(name)])
            if let title = comment.title { json.member("summary", title) }
            if let description = comment.description { json.member("description", description) }
            json.key("parameters")
            json.array { json in
                for name in parameters { SwaggerParameter.writeReference(name, &json) }
            }
            json.key("responses")
            json.object { json in responses(&json) }
        }
    }

    /// What the operations refer to: the content, and a filter for each column.
    func writeParameters(_ json: inout JSONWriter) {
        json.key("body.\(name)")
        json.object { json in
            json.member("name", name)
            json.member("description", name)
            json.member("required", false)
            json.member("in", "body")
            json.member("schema", ["$ref": .string("#/definitions/\(name)")])
        }
        for column in relation.columns {
            SwaggerParameter.write(
                "rowFilter.\(name).\(column.name)",
                column.name,
                column.comment,
                in: "query",
                &json
            )
        }
    }

    // MARK: - The definition

    func writeDefinition(_ json: inout JSONWriter, relationships: [Relationship]) {
        let required = relation.columns.filter { !$0.isNullable }
        json.object { json in
            if let comment = relation.comment { json.member("description", comment) }
            json.member("type", "object")
            if !required.isEmpty { json.member("required", .array(required.map { .string($0.name) })) }
            json.key("properties")
            json.object { json in
                for column in relation.columns {
                    json.key(column.name)
                    write(column, note(column, relationships), &json)
                }
            }
        }
    }

    private func write(_ column: Column, _ note: String?, _ json: inout JSONWriter) {
        let format = column.plainType
        json.object { json in
            SwaggerType(format).write(format: format, &json)
            if let maximum = column.maximumLength { json.member("maxLength", maximum) }
            if !column.type.labels.isEmpty { json.member("enum", .array(column.type.labels.map { .string($0) })) }
            if let text = column.defaultText, text != "identity",
                let value = SwaggerType.value(ofDefault: text, type: format)
            {
                json.member("default", value)
            }
            if let note { json.member("description", note) }
        }
    }

    /// The comment, and the keys that the column belongs to, in the form that generators of models look for.
    private func note(_ column: Column, _ relationships: [Relationship]) -> String? {
        var notes: [String] = []
        if relation.primaryKey.contains(column.name) { notes.append("This is a Primary Key.<pk/>") }
        for relationship in relationships {
            guard case .toOne(_, let columns, _) = relationship.link, columns.count == 1,
                columns[0].source == column.name
            else { continue }
            let (table, key) = (relationship.target.name, columns[0].target)
            notes.append("This is a Foreign Key to `\(table).\(key)`.<fk table='\(table)' column='\(key)'/>")
            break
        }
        let parts = [column.comment, notes.isEmpty ? nil : "Note:\n" + notes.joined(separator: "\n")]
        let text = parts.compactMap(\.self).joined(separator: "\n\n")
        return text.isEmpty ? nil : text
    }
}

extension Column {
    /// The type without a length, for a domain that of what it is made of.
    fileprivate var plainType: String {
        guard type.name != type.base else { return type.format }
        guard let start = type.base.firstIndex(of: "("), let end = type.base.lastIndex(of: ")") else {
            return type.base
        }
        return String(type.base[..<start] + type.base[type.base.index(after: end)...])
    }
}
