import JSON

/// A function in the OpenAPI description.
struct OpenAPIRoutine {
    let routine: Routine

    func write(_ json: inout JSONWriter) {
        json.object { json in
            json.key("post")
            json.object { json in
                json.member("tags", [.string("(rpc) \(routine.name.name)")])
                if let comment = routine.comment { json.member("summary", comment) }
                json.key("parameters")
                json.array { json in
                    json.object { json in
                        json.member("name", "args")
                        json.member("in", "body")
                        json.key("schema")
                        writeArguments(&json)
                    }
                }
                json.key("responses")
                json.object { json in
                    json.key("200")
                    json.object { json in json.member("description", "OK") }
                }
            }
        }
    }

    private func writeArguments(_ json: inout JSONWriter) {
        let named = routine.arguments.filter { !$0.name.isEmpty }
        let required = named.filter(\.isRequired)
        json.object { json in
            json.member("type", "object")
            if !required.isEmpty { json.member("required", .array(required.map { .string($0.name) })) }
            json.key("properties")
            json.object { json in
                for argument in named {
                    json.key(argument.name)
                    let type = OpenAPIType(argument.type, argument.type.hasSuffix("[]") ? .array : .plain)
                    json.object { json in
                        json.member("format", argument.type)
                        if let name = type.name { json.member("type", name) }
                        if let items = type.items { json.member("items", items) }
                    }
                }
            }
        }
    }
}
