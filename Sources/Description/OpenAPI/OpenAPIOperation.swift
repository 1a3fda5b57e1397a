import HTTP
import JSON
import Web

/// One route as an operation.
struct OpenAPIOperation {
    private let function: String
    private let route: Route
    private let shape: RouteShape?

    init(_ function: String, _ route: Route, shape: RouteShape?) {
        self.function = function
        self.route = route
        self.shape = shape
    }

    /// `listTasks`, `getTask`; `postTasksArchive` for what is written by hand.
    var identifier: String {
        let literals = route.path.segments.compactMap { if case .literal(let word) = $0 { word } else { nil } }
        let words = ([function] + literals).map(SwiftName.type)
        guard let verb else { return route.method.rawValue.lowercased() + words.joined() }
        let owners = words.dropLast().map(Self.singular).joined()
        let last = words.last ?? ""
        return verb + owners + (shape?.verb == .list ? last : Self.singular(last))
    }

    private var verb: String? {
        switch shape?.verb {
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

    private static func singular(_ word: String) -> String {
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
    }

    /// The named schemas that it refers to.
    var schemas: [(String, JSONValue)] {
        guard let shape, shape.verb != .delete else { return [] }
        return [
            (rowName, OpenAPISchema.object(shape.fields, required: shape.fields.map(\.name))),
            (rowName + "Input", OpenAPISchema.object(shape.inputs, required: shape.required)),
            (rowName + "Change", OpenAPISchema.object(shape.inputs, required: [])),
        ]
    }

    func json(_ identifier: String) -> JSONValue {
        var operation: JSONObject = [
            "operationId": .string(identifier), "tags": [.string(function)], "responses": responses,
        ]
        let parameters = pathParameters + queryParameters
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body { operation["requestBody"] = body }
        operation["security"] = security
        return .object(operation)
    }

    private var pathParameters: [JSONValue] {
        route.path.segments.compactMap { segment in
            guard case .parameter(let name) = segment else { return nil }
            return [
                "name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1],
            ]
        }
    }

    private var queryParameters: [JSONValue] {
        guard let shape, shape.verb == .list else { return [] }
        let text: JSONValue = ["type": "string"]
        var parameters: [(String, JSONValue)] = [
            ("page", ["type": "integer", "minimum": 1]), ("limit", ["type": "integer", "minimum": 1, "maximum": 500]),
            ("sort", text),
        ]
        if shape.hasSearch { parameters.append(("search", text)) }
        let names = Set(parameters.map(\.0))
        parameters += shape.filters.filter { !names.contains($0) }.map { ($0, text) }
        return parameters.map { ["name": .string($0), "in": "query", "schema": $1] }
    }

    /// Optionals by name, as `nil` would be JSON's null.
    private var body: JSONValue? {
        switch shape?.verb {
        case .create: return Self.content(OpenAPISchema.reference(rowName + "Input"), isRequired: true)
        case .update: return Self.content(OpenAPISchema.reference(rowName + "Change"), isRequired: true)
        case .list, .get, .delete: return Optional<JSONValue>.none
        case nil:
            let hasNone = route.method == .get || route.method == .delete
            return hasNone ? Optional<JSONValue>.none : Self.content([:], isRequired: false)
        }
    }

    private static func content(_ schema: JSONValue, isRequired: Bool) -> JSONValue {
        ["required": .bool(isRequired), "content": ["application/json": ["schema": schema]]]
    }

    private var responses: JSONValue {
        var responses = JSONObject()
        switch shape?.verb {
        case .list:
            responses["200"] = Self.answer("A page.", OpenAPISchema.page(of: rowName, counts: shape?.counts ?? []))
        case .get, .update: responses["200"] = Self.answer("The row.", OpenAPISchema.reference(rowName))
        case .create: responses["201"] = Self.answer("The new row.", OpenAPISchema.reference(rowName))
        case .delete: responses["200"] = Self.answer("It is gone.", OpenAPISchema.success)
        case nil: responses["2XX"] = ["description": "The answer."]
        }
        responses["default"] = Self.answer("What is wrong.", OpenAPISchema.reference("Error"))
        return .object(responses)
    }

    private static func answer(_ description: String, _ schema: JSONValue) -> JSONValue {
        ["description": .string(description), "content": ["application/json": ["schema": schema]]]
    }

    private var security: JSONValue {
        switch route.access.description {
        case "everyone": []
        case "any key": [["apikey": []], ["token": []]]
        default: [["token": []]]
        }
    }
}
