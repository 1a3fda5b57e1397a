package import SwiftletHTTP

/// What a hand-written route says of its requests and answers.
package struct RouteDescription: Sendable {
    /// What a body holds.
    package enum Content: Sendable {
        case json(JSONSchema)
        /// Of another media type.
        case other(String)
    }

    package struct Response: Sendable {
        package let status: Status
        package let content: Content
    }

    /// Parameters of the query, in order.
    package fileprivate(set) var query: [JSONSchema.Member] = []
    package fileprivate(set) var body: Content?
    package fileprivate(set) var responses: [Response] = []
    /// Statuses of errors beside those that follow from the route itself.
    package fileprivate(set) var refusals: [Status] = []
}

/// What `/openapi.json` and generated clients know of a route that is written by hand. Of it, only the names of query
/// parameters are checked.
extension RouteDeclaration {
    /// The same route, whose handler reads these parameters of the query and no others. All of them may be left out.
    ///
    /// What else a request has is named in `X-Ignored-Parameters`, or refused with 400 if it has
    /// `Prefer: handling=strict`.
    public func taking(query: KeyValuePairs<String, JSONSchema>) -> Route {
        var route = describing { $0.query += query.map { JSONSchema.Member(name: $0.key, schema: $0.value) } }
        let names = Set(route.description?.query.map(\.name) ?? [])
        let others = self.route.knowsParameter
        route.knowsParameter = { names.contains($0) || others?($0, $1) == true }
        return route
    }

    /// The same route, whose handler reads this JSON from the body.
    public func taking(_ body: JSONSchema) -> Route {
        describing { $0.body = .json(body) }
    }

    /// The same route, whose handler reads a body of this media type.
    public func taking(mediaType: String) -> Route {
        describing { $0.body = .other(mediaType) }
    }

    /// The same route, whose handler answers 200 with this JSON.
    public func answering(_ schema: JSONSchema) -> Route {
        answering(.ok, schema)
    }

    /// The same route, whose handler may answer with this status and JSON. A route can have several answers, each with a
    /// status of its own.
    public func answering(_ status: Status, _ schema: JSONSchema) -> Route {
        describing { $0.responses.append(RouteDescription.Response(status: status, content: .json(schema))) }
    }

    /// The same route, whose handler may answer with a body of this media type.
    public func answering(_ status: Status = .ok, mediaType: String) -> Route {
        describing { $0.responses.append(RouteDescription.Response(status: status, content: .other(mediaType))) }
    }

    /// The same route, whose handler may refuse a request with these statuses. What follows from who may call it, from
    /// its path and from its body need not be named: 400, 401, 403 for role levels, 404 for ids, 413, 415, 503.
    public func refusing(_ statuses: Status...) -> Route {
        describing { $0.refusals += statuses }
    }

    private func describing(_ change: (inout RouteDescription) -> Void) -> Route {
        var route = route
        var description = route.description ?? RouteDescription()
        change(&description)
        route.description = description
        return route
    }
}
