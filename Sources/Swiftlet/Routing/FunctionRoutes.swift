/// One function's routes, ready to be matched: literal segments before parameters, grouped by length.
struct FunctionRoutes: Sendable {
    private let routes: [CompiledRoute]
    private let notFound: Endpoint
    private let methodNotAllowed: Endpoint

    struct CompiledRoute: Sendable {
        let endpoint: Endpoint
        let segments: [Segment]
        /// Parameter → distance from the function's name.
        let parameters: [String: Int]

        enum Segment: Sendable {
            case literal([UInt8])
            case parameter
        }
    }

    var all: [Endpoint] { routes.map(\.endpoint) + [notFound, methodNotAllowed] }

    init(_ function: Function) {
        let compiled = function.routes.sorted { $0.path.precedes($1.path) }.map { CompiledRoute(function.name, $0) }
        routes = compiled
        notFound = Self.refusal(of: function) { _, _ in throw APIError.notFound }
        methodNotAllowed = Self.refusal(of: function) { request, _ in
            throw APIError(.methodNotAllowed, "METHOD_NOT_ALLOWED", "Method not allowed")
                .adding(.allow, Self.allowed(request.pathSegments, compiled))
        }
    }

    /// `first` is the position of the segment behind the function's name.
    func endpoint(for request: Request, _ segments: PathSegments, from first: Int) -> (Endpoint, PathParameters) {
        guard let position = routes.firstIndex(where: { $0.matches(segments, from: first) }) else {
            return (notFound, PathParameters(request))
        }
        // Routes of one pattern are neighbours: a reserved word is never taken for an id, whatever the method.
        let siblings = routes[position...].prefix { $0.hasPattern(of: routes[position]) }
        guard let route = siblings.first(where: { $0.endpoint.method.answers(request.method) }) else {
            return (methodNotAllowed, PathParameters(request))
        }
        return (route.endpoint, PathParameters(request, positions: route.parameters, from: first))
    }
}

extension FunctionRoutes {
    private static func refusal(of function: Function, _ handler: @escaping Handler) -> Endpoint {
        let route = Route(.get, "/", access: .everyone, handler: handler).wrapped(in: function.middleware)
        return Endpoint(name: function.name, method: route.method, access: route.access, handler: route.handler)
    }

    /// The methods of the pattern that this path has, for `Allow` (RFC 9110 §10.2.1).
    private static func allowed(_ segments: PathSegments, _ routes: [CompiledRoute]) -> String {
        let first = Router.functionPosition(segments) + 1
        let pattern = routes.first { $0.matches(segments, from: first) }
        let matching = routes.filter { route in pattern.map(route.hasPattern) ?? false }
        let methods = Set(matching.map(\.endpoint.method.rawValue))
        let head = methods.contains("GET") ? ["HEAD"] : []
        return (methods.sorted() + head + ["OPTIONS"]).joined(separator: ", ")
    }
}

extension FunctionRoutes.CompiledRoute {
    init(_ functionName: String, _ route: Route) {
        endpoint = Endpoint(
            name: functionName,
            method: route.method,
            access: route.access,
            pattern: route.path.segments,
            handler: route.handler
        )
        segments = route.path.segments.map { segment in
            switch segment {
            case .literal(let word): .literal(Array(word.utf8))
            case .parameter: .parameter
            }
        }
        var parameters: [String: Int] = [:]
        for (position, segment) in route.path.segments.enumerated() {
            if case .parameter(let name) = segment { parameters[name] = position }
        }
        self.parameters = parameters
    }

    func hasPattern(of other: Self) -> Bool {
        endpoint.pattern.count == other.endpoint.pattern.count
            && zip(endpoint.pattern, other.endpoint.pattern).allSatisfy { mine, theirs in
                switch (mine, theirs) {
                case (.literal(let word), .literal(let other)): word == other
                case (.parameter, .parameter): true
                default: false
                }
            }
    }

    func matches(_ path: PathSegments, from first: Int) -> Bool {
        guard path.count - first == segments.count else { return false }
        for (position, segment) in segments.enumerated() {
            if case .literal(let word) = segment, !path.segment(first + position, equals: word) { return false }
        }
        return true
    }
}

extension Method {
    /// A GET route answers HEAD as well (RFC 9110 §9.3.2).
    fileprivate func answers(_ method: Method) -> Bool {
        self == method || (self == .get && method == .head)
    }
}
