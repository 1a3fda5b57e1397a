import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// One route as an operation.
struct OpenAPIOperation {
    private let function: String
    private let route: Route
    private let routeSchema: RouteSchema?
    private let comment: String?

    /// `comment` is the doc comment of the route or its handler.
    init(_ function: String, _ route: Route, routeSchema: RouteSchema?, comment: String? = nil) {
        self.comment = comment
        self.function = function
        self.route = route
        self.routeSchema = routeSchema
    }

    /// As a path item names it.
    var method: String { route.method.rawValue.lowercased() }

    /// `listTasks`, `getTask`; `postTasksArchive` for what is written by hand.
    var identifier: String {
        let literals = route.path.segments.compactMap { if case .literal(let word) = $0 { word } else { nil } }
        let words = ([function] + literals).map(SwiftName.type)
        guard let verb else { return method + words.joined() }
        let owners = words.dropLast().map(Self.singular).joined()
        let last = words.last ?? ""
        return verb + owners + (routeSchema?.verb == .list ? last : Self.singular(last))
    }

    private var verb: String? {
        switch routeSchema?.verb {
        case .list: "list"
        case .get: "get"
        case .create: "create"
        case .update: route.method == .put ? "replace" : "update"
        case .delete: "delete"
        case nil: nil
        }
    }

    /// Of the rows: `Task`, `TaskComment`.
    private var rowName: String {
        let literals = route.path.segments.compactMap { if case .literal(let word) = $0 { word } else { nil } }
        return ([function] + literals).map { Self.singular(SwiftName.type($0)) }.joined()
    }

    private var summary: OperationSummary {
        if let comment { return OperationSummary(comment: comment) }
        let literals = route.path.segments.compactMap { if case .literal(let word) = $0 { word } else { nil } }
        guard let routeSchema else {
            return OperationSummary(title: OperationSummary.words(([function] + literals).joined(separator: " ")))
        }
        return OperationSummary(routeSchema.verb, isReplacement: route.method == .put, literals: [function] + literals)
    }

    private static func singular(_ word: String) -> String { SwiftName.singular(word) }

    /// The named schemas that it refers to.
    var schemas: [(String, JSONValue)] {
        guard let routeSchema, routeSchema.verb != .delete else { return [] }
        return [
            (rowName, OpenAPISchema.object(routeSchema.fields, required: routeSchema.fields.map(\.name))),
            (rowName + "Input", OpenAPISchema.object(routeSchema.inputs, required: routeSchema.required)),
            (rowName + "Change", OpenAPISchema.object(routeSchema.inputs, required: [])),
        ]
    }

    /// `schemas` are those of all operations.
    func json(_ identifier: String, _ schemas: OpenAPISchemas) -> JSONValue {
        let responses = OpenAPIResponses(route: route, routeSchema: routeSchema, rowName: rowName, schemas: schemas)
        var operation: JSONObject = [
            "operationId": .string(identifier), "tags": [.string(function)], "responses": responses.json,
        ]
        let parameters = pathParameters + queryParameters(schemas)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        summary.add(to: &operation)
        if let body = body(schemas) { operation["requestBody"] = body }
        operation["security"] = security
        return .object(operation)
    }

    private var pathParameters: [JSONValue] {
        route.path.segments.compactMap { segment in
            let name: String
            switch segment {
            case .literal: return nil
            case .parameter(let parameter): name = parameter
            case .rest: name = "path"
            }
            return [
                "name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1],
            ]
        }
    }

    private func queryParameters(_ schemas: OpenAPISchemas) -> [JSONValue] {
        if let description = route.description {
            return description.query.map { Self.parameter($0.name, schemas.json($0.schema)) }
        }
        guard let routeSchema, routeSchema.verb == .list else { return [] }
        var parameters = Self.paging + Self.sorting
        if routeSchema.hasSearch { parameters.append(Self.parameter("search", ["type": "string"])) }
        let names = Set(parameters.compactMap { $0["name"]?.string })
        for filter in routeSchema.filters where !names.contains(filter.name) {
            parameters.append(Self.parameter(filter.name, OpenAPISchema.value(filter)))
        }
        return parameters
    }

    private static let paging = [
        parameter("page", ["type": "integer", "minimum": 1]),
        parameter("limit", ["type": "integer", "minimum": 1, "maximum": 500]),
        parameter("offset", ["type": "integer", "minimum": 0], "Rows to skip, in place of pages."),
    ]

    private static let sorting =
        ["sort", "sortBy", "sort_by"].map {
            parameter($0, ["type": "string"], "Fields, separated by commas; descending with `-` in front.")
        }
        + ["sortOrder", "sort_order"].map {
            parameter($0, ["type": "string", "enum": ["asc", "desc"]], "For all fields.")
        }

    private static func parameter(_ name: String, _ schema: JSONValue, _ description: String? = nil) -> JSONValue {
        var parameter: JSONObject = ["name": .string(name), "in": "query", "schema": schema]
        if let description { parameter["description"] = .string(description) }
        return .object(parameter)
    }

    /// Optionals by name, as `nil` would be JSON's null.
    private func body(_ schemas: OpenAPISchemas) -> JSONValue? {
        switch routeSchema?.verb {
        case .create: return Self.content(OpenAPISchema.reference(rowName + "Input"), isRequired: true)
        case .update: return Self.content(OpenAPISchema.reference(rowName + "Change"), isRequired: true)
        case .list, .get, .delete: return Optional<JSONValue>.none
        case nil: break
        }
        switch route.description?.body {
        case .json(let value): return Self.content(schemas.json(value), isRequired: !value.isOptional)
        case .other(let type): return ["required": true, "content": .object([type: ["schema": ["type": "object"]]])]
        case nil: break
        }
        let mayHaveOne = route.description == nil && route.method != .get && route.method != .delete
        return mayHaveOne ? Self.content([:], isRequired: false) : Optional<JSONValue>.none
    }

    private static func content(_ schema: JSONValue, isRequired: Bool) -> JSONValue {
        ["required": .bool(isRequired), "content": ["application/json": ["schema": schema]]]
    }

    private var security: JSONValue {
        switch route.access.description {
        case "everyone", "handler": []
        case "any key": [["apikey": []], ["token": []]]
        default: [["token": []]]
        }
    }
}
