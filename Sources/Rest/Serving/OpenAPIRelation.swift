import JSON

/// A relation in the OpenAPI description.
struct OpenAPIRelation {
    let relation: CatalogueRelation

    func writePath(_ json: inout JSONWriter) {
        json.object { json in
            write("get", "200", "OK", &json)
            if relation.changes.contains(.insert) { write("post", "201", "Created", &json) }
            if relation.changes.contains(.update) { write("patch", "204", "No Content", &json) }
            if relation.changes.contains(.delete) { write("delete", "204", "No Content", &json) }
        }
    }

    private func write(_ method: String, _ status: StaticString, _ reason: String, _ json: inout JSONWriter) {
        json.key(method)
        json.object { json in
            json.member("tags", [.string(relation.name.name)])
            if let comment = relation.comment { json.member("summary", comment) }
            json.key("parameters")
            json.array { json in
                if method == "post" || method == "patch" {
                    json.object { json in
                        json.member("name", "content")
                        json.member("in", "body")
                        json.member("schema", ["$ref": .string("#/definitions/\(relation.name.name)")])
                    }
                }
                if method != "post" {
                    for column in relation.columns { writeParameter(column.name, &json) }
                }
                writeParameter("select", &json)
                if method == "get" {
                    for name in ["order", "limit", "offset"] { writeParameter(name, &json) }
                }
            }
            json.key("responses")
            json.object { json in
                json.key(status)
                json.object { json in
                    json.member("description", reason)
                    if method == "get" {
                        json.member(
                            "schema",
                            ["type": "array", "items": ["$ref": .string("#/definitions/\(relation.name.name)")]]
                        )
                    }
                }
            }
        }
    }

    private func writeParameter(_ name: String, _ json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("in", "query")
            json.member("type", "string")
            json.member("required", false)
        }
    }

    func writeDefinition(_ json: inout JSONWriter, relationships: [Relationship]) {
        let required = relation.columns.filter { !$0.isNullable && $0.defaultText == nil }
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

    private func write(_ column: CatalogueColumn, _ note: String?, _ json: inout JSONWriter) {
        let type = OpenAPIType(column.baseType, column.kind)
        json.object { json in
            json.member("format", column.type)
            if let name = type.name { json.member("type", name) }
            if let items = type.items { json.member("items", items) }
            if let maximum = column.maximumLength { json.member("maxLength", maximum) }
            if !column.labels.isEmpty { json.member("enum", .array(column.labels.map { .string($0) })) }
            if let text = column.defaultText, text != "identity" { json.member("default", text) }
            if let note { json.member("description", note) }
        }
    }

    /// The comment, and the keys that the column belongs to, in the form that generators of models look for.
    private func note(_ column: CatalogueColumn, _ relationships: [Relationship]) -> String? {
        var notes: [String] = []
        if relation.primaryKey.contains(column.name) { notes.append("This is a Primary Key.<pk/>") }
        for relationship in relationships {
            guard case .toOne(_, let columns, _) = relationship.link, columns.count == 1,
                columns[0].source == column.name
            else { continue }
            let target = "\(relationship.target.name).\(columns[0].target)"
            notes.append(
                "This is a Foreign Key to `\(target)`."
                    + "<fk table='\(relationship.target.name)' column='\(columns[0].target)'/>"
            )
        }
        let parts = [column.comment, notes.isEmpty ? nil : "Note:\n" + notes.joined(separator: "\n")]
        let text = parts.compactMap(\.self).joined(separator: "\n\n")
        return text.isEmpty ? nil : text
    }
}

/// The type of a column in JSON Schema.
struct OpenAPIType {
    let name: String?
    var items: JSONValue?

    init(_ type: String, _ kind: CatalogueColumn.Kind) {
        if kind == .array {
            name = "array"
            let element = OpenAPIType(type.replacing("[]", with: ""), .plain)
            items = element.name.map { ["type": .string($0)] } ?? [:]
            return
        }
        let base = type.prefix { $0 != "(" }
        name =
            switch base {
            case "smallint", "integer", "bigint": "integer"
            case "numeric", "real", "double precision": "number"
            case "boolean": "boolean"
            case "json", "jsonb": nil
            default: "string"
            }
    }
}
