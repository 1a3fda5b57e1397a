import SwiftletJSON

/// The type of a column or argument in JSON Schema.
struct SwaggerType {
    /// nil for JSON, which can be anything.
    let name: String?
    let items: JSONValue?

    /// `type` as PostgreSQL prints it, without a length.
    init(_ type: String) {
        guard type.hasSuffix("[]") else {
            name = Self.name(type)
            items = nil
            return
        }
        name = "array"
        items = Self.name(String(type.dropLast(2))).map { ["type": .string($0)] } ?? [:]
    }

    private static func name(_ type: String) -> String? {
        switch type {
        case "smallint", "integer", "bigint": "integer"
        case "numeric", "real", "double precision": "number"
        case "boolean": "boolean"
        case "json", "jsonb": nil
        default: type.hasSuffix("[]") ? "array" : "string"
        }
    }

    func write(format: String, _ json: inout JSONWriter) {
        json.member("format", format)
        if let name { json.member("type", name) }
        if let items { json.member("items", items) }
    }

    /// The JSON value of a default, where it is a constant: `'open'::text`, `42`, `false`.
    static func value(ofDefault text: String, type: String) -> JSONValue? {
        guard SwaggerType(type).name == "string" else { return try? JSONParser.parse(Array(text.utf8)) }
        let cast = "::\(type)"
        guard text.hasSuffix(cast) else { return .string(text) }
        let constant = text.dropLast(cast.count)
        guard constant.count > 1, constant.hasPrefix("'"), constant.hasSuffix("'") else {
            return .string(String(constant))
        }
        return .string(String(constant.dropFirst().dropLast()).replacing("''", with: "'"))
    }
}
