package import SwiftletJSON
package import SwiftletPostgres
package import SwiftletWeb

/// The interface of an app's functions in OpenAPI 3.1, from their declarations and the tables as they are, and of
/// `/rest/v1`.
///
/// Routes written by hand say what they read and answer (``Route/answering(_:_:)``); of one that does not, nothing
/// is known but its path.
package struct OpenAPIDocument {
    private let functions: [Function]
    private let schema: Schema
    private let version: String
    private let relations: [OpenAPIRelation]
    private let summaries: [String: String]

    /// `restSchema` is the one whose tables and views `/rest/v1` serves where a request names none.
    ///
    /// `summaries` are ``DocComments/texts``.
    package init(
        _ functions: [Function],
        in schema: Schema,
        restSchema: String? = nil,
        version: String,
        summaries: [String: String] = [:]
    ) {
        self.summaries = summaries
        self.functions = functions.sorted { $0.name < $1.name }
        self.schema = schema
        self.version = version
        relations = schema.tables.values.filter { $0.schema == restSchema }.sorted { $0.name < $1.name }
            .map(OpenAPIRelation.init)
    }

    package var json: JSONValue {
        let operations = functions.flatMap { function in
            function.routes.map { route in
                (
                    Self.path(of: function, route),
                    OpenAPIOperation(
                        function.name,
                        route,
                        routeSchema: route.table?.schema(schema),
                        comment: comment(of: route, in: function)
                    )
                )
            }
        }
        var schemas = OpenAPISchemas(in: schema)
        for (_, operation) in operations { schemas.add(operation.schemas) }
        var paths = JSONObject()
        var taken = TakenNames()
        for (path, operation) in operations {
            var item = paths[path]?.object ?? JSONObject()
            item[operation.method] = operation.json(taken.take(operation.identifier), schemas)
            paths[path] = .object(item)
        }
        if !relations.isEmpty { schemas.add([("RestError", OpenAPIRelation.error)]) }
        for relation in relations {
            schemas.add(relation.schemas)
            paths[relation.path] = relation.item { taken.take($0) }
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Functions", "version": .string(version)],
            "servers": [["url": "/functions/v1"]],
            "tags": tags, "paths": .object(paths),
            "components": [
                "schemas": .object(schemas.named), "responses": OpenAPIRefusals.components,
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

    /// What is said of a function with one route is said of that.
    private func comment(of route: Route, in function: Function) -> String? {
        summaries[Self.key(of: function, route)] ?? (function.routes.count == 1 ? summaries[function.name] : nil)
    }

    /// As ``DocComments`` names the route.
    private static func key(of function: Function, _ route: Route) -> String {
        let path = route.path.description
        return "\(route.method.rawValue) /\(function.name)\(path == "/" ? "" : path)"
    }

    /// What is known of each function as a whole.
    private var tags: JSONValue {
        let described = functions.compactMap { function in
            summaries[function.name].map { ["name": .string(function.name), "description": .string($0)] as JSONValue }
        }
        let rest: [JSONValue] =
            relations.isEmpty ? [] : [["name": "rest", "description": "Tables and views, as PostgREST serves them."]]
        return .array(described + rest)
    }

    /// `/tasks/{id}/comments`.
    private static func path(of function: Function, _ route: Route) -> String {
        route.path.segments.reduce(into: "/" + function.name) { path, segment in
            switch segment {
            case .literal(let word): path += "/" + word
            case .parameter(let name): path += "/{\(name)}"
            case .rest: path += "/{path}"
            }
        }
    }
}
