import SwiftletJSON
import SwiftletPostgres

/// A function in the OpenAPI description.
struct SwaggerRoutine {
    let routine: Routine
    /// Types of these schemas stand without them.
    let knownSchemas: [String]

    private var named: [Routine.Argument] { routine.arguments.filter { !$0.name.isEmpty } }

    func write(_ json: inout JSONWriter) {
        json.object { json in
            if routine.volatility != .volatile {
                write("get", &json) { json in for argument in named { write(argument, &json) } }
            }
            write("post", &json) { json in
                json.object { json in
                    json.member("name", "args")
                    json.member("required", true)
                    json.member("in", "body")
                    json.key("schema")
                    writeSchema(&json)
                }
                SwaggerParameter.writeReference("preferParams", &json)
            }
        }
    }

    private func write(_ method: String, _ json: inout JSONWriter, parameters: (inout JSONWriter) -> Void) {
        let comment = SwaggerComment(routine.comment)
        json.key(method)
        json.object { json in
            json.member("tags", [.string("(rpc) \(routine.name.name)")])
            if let title = comment.title { json.member("summary", title) }
            if let description = comment.description { json.member("description", description) }
            json.member(
                "produces",
                [
                    "application/json", "application/vnd.pgrst.object+json;nulls=stripped",
                    "application/vnd.pgrst.object+json",
                ]
            )
            json.key("parameters")
            json.array { json in parameters(&json) }
            json.member("responses", ["200": ["description": "OK"]])
        }
    }

    /// An argument in the query. Lists are written as PostgreSQL's, except that those of a variadic argument repeat it.
    private func write(_ argument: Routine.Argument, _ json: inout JSONWriter) {
        let format = format(argument)
        let type = SwaggerType(format)
        json.object { json in
            json.member("name", argument.name)
            json.member("required", argument.isRequired)
            json.member("in", "query")
            guard argument.isVariadic else {
                json.member("format", format)
                json.member("type", type.name.flatMap { $0 == "array" ? nil : $0 } ?? "string")
                return
            }
            let element = String(format.dropLast(2))
            json.member("type", type.name ?? "string")
            json.member("collectionFormat", "multi")
            let name = SwaggerType(element).name ?? "string"
            json.member("items", ["type": .string(name), "format": .string(element)])
        }
    }

    private func format(_ argument: Routine.Argument) -> String {
        let type = argument.type
        for schema in knownSchemas {
            for prefix in [schema + ".", schema.quotedIdentifier + "."] where type.hasPrefix(prefix) {
                return String(type.dropFirst(prefix.count))
            }
        }
        return type
    }

    private func writeSchema(_ json: inout JSONWriter) {
        let required = named.filter(\.isRequired)
        json.object { json in
            json.member("type", "object")
            if let comment = routine.comment { json.member("description", comment) }
            if !required.isEmpty { json.member("required", .array(required.map { .string($0.name) })) }
            json.key("properties")
            json.object { json in
                for argument in named {
                    json.key(argument.name)
                    let format = format(argument)
                    json.object { json in SwaggerType(format).write(format: format, &json) }
                }
            }
        }
    }
}
