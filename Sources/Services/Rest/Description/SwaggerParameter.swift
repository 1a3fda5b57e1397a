import SwiftletJSON

/// The parameters that all relations have, under the names by which `$ref` finds them.
enum SwaggerParameter {
    static func writeCommon(_ json: inout JSONWriter) {
        // No preference is left that is one of arguments.
        writePreference("preferParams", [], &json)
        writePreference("preferReturn", returns, &json)
        writePreference("preferCount", ["count=none", "count=exact", "count=planned", "count=estimated"], &json)
        writePreference(
            "preferPost",
            returns + ["resolution=ignore-duplicates", "resolution=merge-duplicates"],
            &json
        )
        write("select", "select", "Filtering Columns", in: "query", &json)
        write("on_conflict", "on_conflict", "On Conflict", in: "query", &json)
        write("order", "order", "Ordering", in: "query", &json)
        write("range", "Range", pages, in: "header", &json)
        write("rangeUnit", "Range-Unit", pages, in: "header", default: "items", &json)
        write("offset", "offset", pages, in: "query", &json)
        write("limit", "limit", pages, in: "query", &json)
    }

    static func writeReference(_ name: String, _ json: inout JSONWriter) {
        json.object { json in json.member("$ref", "#/parameters/\(name)") }
    }

    private static let returns = ["return=representation", "return=minimal", "return=none"]
    private static let pages = "Limiting and Pagination"

    static func write(
        _ key: String,
        _ name: String,
        _ description: String?,
        in place: String,
        default value: String? = nil,
        _ json: inout JSONWriter
    ) {
        json.key(key)
        json.object { json in
            json.member("name", name)
            if let description { json.member("description", description) }
            json.member("required", false)
            json.member("in", place)
            json.member("type", "string")
            if let value { json.member("default", value) }
        }
    }

    private static func writePreference(_ key: String, _ values: [String], _ json: inout JSONWriter) {
        json.key(key)
        json.object { json in
            json.member("name", "Prefer")
            json.member("description", "Preference")
            json.member("required", false)
            json.member("in", "header")
            json.member("type", "string")
            if !values.isEmpty { json.member("enum", .array(values.map { .string($0) })) }
        }
    }
}
