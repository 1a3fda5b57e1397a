import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// What an operation answers, each status by itself.
struct OpenAPIResponses {
    let route: Route
    let routeSchema: RouteSchema?
    /// The name of the rows' schema.
    let rowName: String
    let schemas: OpenAPISchemas

    var json: JSONValue {
        var answers = answers
        for status in refusals where answers[status] == nil {
            answers[status] =
                OpenAPIRefusals.reference(to: status) ?? Self.answer("What is wrong.", OpenAPISchema.reference("Error"))
        }
        var responses = JSONObject()
        for (status, answer) in answers.sorted(by: { $0.key < $1.key }) { responses[String(status)] = answer }
        // Of what says nothing of itself, nothing else is known.
        if routeSchema == nil, route.description?.responses.isEmpty ?? true {
            responses["2XX"] = ["description": "The answer."]
            responses["default"] = Self.answer("What is wrong.", OpenAPISchema.reference("Error"))
        }
        return .object(responses)
    }

    private var answers: [Int: JSONValue] {
        let row = OpenAPISchema.reference(rowName)
        switch routeSchema?.verb {
        case .list:
            return [200: Self.answer("A page.", OpenAPISchema.page(of: rowName, counts: routeSchema?.counts ?? []))]
        case .get, .update: return [200: Self.answer("The row.", row)]
        case .create: return [201: Self.answer("The new row.", row)]
        case .delete: return [200: Self.answer("It is gone.", OpenAPISchema.success)]
        case nil: break
        }
        return (route.description?.responses ?? []).reduce(into: [:]) { answers, answer in
            let description = answer.status.rawValue < 300 ? "The answer." : "What is wrong."
            answers[answer.status.rawValue] =
                switch answer.content {
                case .json(let value): Self.answer(description, schemas.json(value))
                case .other(let type): ["description": .string(description), "content": .object([type: [:]])]
                }
        }
    }

    /// What follows from who may call the route, from its path and from its body.
    private var refusals: Set<Int> {
        var statuses: Set = [400, 503]
        if route.access != .everyone { statuses.insert(401) }
        if route.access.minimumLevel != nil || routeSchema?.isGuarded == true { statuses.insert(403) }
        if route.path.parameterCount > 0 { statuses.insert(404) }
        if [.post, .put, .patch].contains(route.method) { statuses.formUnion([413, 415]) }
        switch routeSchema?.verb {
        // While the database lacks the table, it takes no rows.
        case .create, .update: statuses.formUnion([404, 409, 422])
        case .delete: statuses.insert(409)
        case .list, .get, nil: break
        }
        for status in route.description?.refusals ?? [] { statuses.insert(status.rawValue) }
        return statuses
    }

    private static func answer(_ description: String, _ schema: JSONValue) -> JSONValue {
        ["description": .string(description), "content": ["application/json": ["schema": schema]]]
    }
}
