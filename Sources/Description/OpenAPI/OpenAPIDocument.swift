package import JSON
package import Postgres
package import Web

/// The interface of an app's functions in OpenAPI 3.1, from their declarations and the tables as they are.
///
/// Routes written by hand have no declared bodies, so these are any JSON.
package struct OpenAPIDocument {
    private let functions: [Function]
    private let schema: Schema
    private let version: String

    package init(_ functions: [Function], in schema: Schema, version: String) {
        self.functions = functions.sorted { $0.name < $1.name }
        self.schema = schema
        self.version = version
    }

    package var json: JSONValue {
        var paths = JSONObject()
        var schemas: JSONObject = ["Error": OpenAPISchema.error]
        var taken = TakenNames()
        for function in functions {
            for route in function.routes {
                let path = Self.path(of: function, route)
                let operation = OpenAPIOperation(function.name, route, shape: route.table?.shape(schema))
                var item = paths[path]?.object ?? JSONObject()
                let identifier = taken.take(operation.identifier)
                item[route.method.rawValue.lowercased()] = operation.json(identifier)
                paths[path] = .object(item)
                for (name, value) in operation.schemas where schemas[name] == nil { schemas[name] = value }
            }
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Functions", "version": .string(version)],
            "servers": [["url": "/functions/v1"]],
            "paths": .object(paths),
            "components": [
                "schemas": .object(schemas),
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
                    "apikey": ["type": "apiKey", "in": "header", "name": "apikey"],
                ],
            ],
        ]
    }

    package var text: String {
        var writer = JSONWriter()
        writer.write(json)
        return String(decoding: writer.finish(), as: UTF8.self) + "\n"
    }

    /// `/tasks/{id}/comments`.
    private static func path(of function: Function, _ route: Route) -> String {
        route.path.segments.reduce(into: "/" + function.name) { path, segment in
            switch segment {
            case .literal(let word): path += "/" + word
            case .parameter(let name): path += "/{\(name)}"
            }
        }
    }
}
