import SwiftletJSON
import SwiftletWeb

/// Schemas of values, with the standard's formats. What may be null is a list of types, which every generator reads.
enum OpenAPISchema {
    static func object(_ fields: [RouteSchema.Field], required: [String]) -> JSONValue {
        var properties = JSONObject()
        for field in fields { properties[field.name] = value(field) }
        var object: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { object["required"] = .array(required.map { .string($0) }) }
        return .object(object)
    }

    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/" + name)] }

    static func page(of row: String, counts: [String]) -> JSONValue {
        let integer: JSONValue = ["type": "integer"]
        var properties: JSONObject = [
            "data": ["type": "array", "items": reference(row)], "total": integer, "page": integer, "limit": integer,
            "has_more": ["type": "boolean"],
        ]
        for count in counts { properties[count] = integer }
        return [
            "type": "object", "properties": .object(properties),
            "required": ["data", "total", "page", "limit", "has_more"],
        ]
    }

    static let success: JSONValue = [
        "type": "object", "properties": ["success": ["type": "boolean"]], "required": ["success"],
    ]

    /// The first three are equal, because some clients read one and some another.
    static let error: JSONValue = [
        "type": "object",
        "properties": [
            "error": ["type": "string"], "message": ["type": "string"], "msg": ["type": "string"],
            "code": ["type": "string"], "request_id": ["type": "string"],
            "details": ["type": "object", "additionalProperties": ["type": "string"]],
        ],
        "required": ["error", "message", "msg", "code", "request_id"],
    ]

    static func value(_ field: RouteSchema.Field) -> JSONValue {
        switch field.kind {
        case .any: [:]
        case .text(let maximumLength):
            typed("string", field, maximumLength.map { ["maxLength": .number(JSONNumber($0))] } ?? [:])
        case .words(let words):
            typed("string", field, ["enum": .array(words.map { .string($0) } + (field.isNullable ? [.null] : []))])
        case .uuid: typed("string", field, ["format": "uuid"])
        case .integer: typed("integer", field)
        case .number: typed("number", field)
        case .flag: typed("boolean", field)
        case .timestamp: typed("string", field, ["format": "date-time"])
        case .day: typed("string", field, ["format": "date"])
        case .list(let element):
            typed(
                "array",
                field,
                ["items": value(RouteSchema.Field(name: "", kind: element, isNullable: false))]
            )
        }
    }

    private static func typed(_ type: JSONValue, _ field: RouteSchema.Field, _ more: JSONObject = [:]) -> JSONValue {
        var schema: JSONObject = ["type": field.isNullable ? [type, "null"] : type]
        for (name, value) in more { schema[name] = value }
        return .object(schema)
    }
}
