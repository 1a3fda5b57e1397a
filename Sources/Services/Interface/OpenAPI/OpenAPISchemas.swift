import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// The named schemas of a document, and what hand-written routes say in their terms.
struct OpenAPISchemas {
    private(set) var named: JSONObject = ["Error": OpenAPISchema.error]
    private let database: Schema

    init(in database: Schema) {
        self.database = database
    }

    /// Of two under one name, the first counts.
    mutating func add(_ schemas: [(String, JSONValue)]) {
        for (name, schema) in schemas where named[name] == nil { named[name] = schema }
    }

    func json(_ source: JSONSchema) -> JSONValue {
        switch source.kind {
        case .scalar(let kind):
            return OpenAPISchema.value(RouteSchema.Field(name: "", kind: kind, isNullable: source.isNullable))
        case .list(let element): return typed("array", source, ["items": json(element)])
        case .dictionary(let value): return typed("object", source, ["additionalProperties": json(value)])
        case .object(let members):
            let properties = members.reduce(into: JSONObject()) { $0[$1.name] = json($1.schema) }
            var object: JSONObject = ["properties": .object(properties)]
            let required = members.filter { !$0.schema.isOptional }.map { JSONValue.string($0.name) }
            if !required.isEmpty { object["required"] = .array(required) }
            return typed("object", source, object)
        case .row(let row):
            guard let found = row(database) else { return typed("object", source, [:]) }
            let row = OpenAPISchema.object(found.fields, required: found.required)
            // The routes of the same resource have named it, as a rule.
            let name = source.isNullable ? nil : named.first { $0.value == row }?.name
            guard let name else { return typed("object", source, row.object ?? [:]) }
            return OpenAPISchema.reference(name)
        case .oneOf(let alternatives): return ["anyOf": .array(alternatives.map(json))]
        }
    }

    private func typed(_ type: JSONValue, _ source: JSONSchema, _ more: JSONObject) -> JSONValue {
        var schema: JSONObject = ["type": source.isNullable ? [type, "null"] : type]
        for (name, value) in more where name != "type" { schema[name] = value }
        return .object(schema)
    }
}
