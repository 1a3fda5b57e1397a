/// One function's routes, prepared for matching: by length, literal segments before parameters.
final class FunctionRoutes: Sendable {
    /// Patterns by their number of segments.
    private let patterns: [[RoutePattern]]
    private let notFound: Endpoint
    /// For every path of the function; it needs no token.
    let contentTooLarge: Endpoint

    var all: [Endpoint] {
        patterns.joined().flatMap { $0.endpoints + [$0.methodNotAllowed] } + [notFound, contentTooLarge]
    }

    init(_ function: Function) throws(DeclarationError) {
        if let rule = function.routes.lazy.compactMap({ $0.resource?.rules.subqueries.first }).first {
            throw .subqueryWithoutTenant(function: function.name, rule: rule)
        }
        if let fault = function.routes.lazy.compactMap({ $0.resource?.rules.faultyEnumerations.first }).first {
            throw .faultyEnumeration(function: function.name, fault: fault)
        }
        if let route = function.routes.first(where: \.lacksParentParameter) {
            throw .routeWithoutParent(function: function.name, path: "/\(function.name)\(route.path)")
        }
        patterns = try Self.patterns(of: function)
        notFound = Self.refusal(of: function) { _, _ in throw APIError.notFound }
        contentTooLarge = Self.refusal(of: function) { _, _ in throw APIError.contentTooLarge }
    }

    /// `first` is the position of the segment after the function's name.
    func endpoint(for request: Request, _ segments: PathSegments, from first: Int) -> (Endpoint, PathParameters) {
        guard let pattern = pattern(for: segments, from: first) else { return (notFound, PathParameters(segments)) }
        // No fallback to a parameter: a reserved word is never an id, whatever the method.
        guard let endpoint = pattern.endpoint(for: request.method) else {
            return (pattern.methodNotAllowed, PathParameters(segments))
        }
        return (endpoint, PathParameters(segments, endpoint, from: first))
    }

    private func pattern(for path: PathSegments, from first: Int) -> RoutePattern? {
        let length = path.count - first
        guard length < patterns.count else { return nil }
        for pattern in patterns[length] where pattern.matches(path, from: first) { return pattern }
        return nil
    }

    private static func patterns(of function: Function) throws(DeclarationError) -> [[RoutePattern]] {
        var patterns: [[RoutePattern]] = []
        var rest = function.routes.sorted { $0.path.precedes($1.path) }[...]
        while let path = rest.first?.path {
            // Routes with the same pattern are adjacent after sorting.
            let siblings = rest.prefix { $0.path.hasPattern(of: path) }
            rest = rest.dropFirst(siblings.count)
            var methods: Set<Method> = []
            for route in siblings where !methods.insert(route.method).inserted {
                throw DeclarationError.duplicateRoute(
                    function: function.name,
                    method: route.method,
                    path: "/\(function.name)\(route.path)"
                )
            }
            let allowed = Self.allowedMethods(methods)
            let methodNotAllowed = refusal(of: function) { _, _ in throw APIError.methodNotAllowed(allowed) }
            let endpoints = siblings.map { Endpoint(function.name, $0) }
            let pattern = RoutePattern(path, endpoints, methodNotAllowed: methodNotAllowed)
            while patterns.count <= pattern.count { patterns.append([]) }
            patterns[pattern.count].append(pattern)
        }
        return patterns
    }

    /// For `Allow` (RFC 9110 §10.2.1).
    private static func allowedMethods(_ methods: Set<Method>) -> String {
        let head = methods.contains(.get) ? ["HEAD"] : []
        return (methods.map(\.rawValue).sorted() + head + ["OPTIONS"]).joined(separator: ", ")
    }

    private static func refusal(of function: Function, _ handler: @escaping Handler) -> Endpoint {
        let route = Route(.get, "/", access: .everyone, handler: handler).wrapped(in: function.middleware)
        return Endpoint(name: function.name, method: route.method, access: route.access, handler: route.handler)
    }
}

extension Endpoint {
    fileprivate convenience init(_ functionName: String, _ route: Route) {
        self.init(
            name: functionName,
            method: route.method,
            access: route.access,
            pattern: route.path.segments,
            handler: route.handler
        )
    }
}

extension RoutePath {
    /// Whether both match the same paths, whatever their parameters are called.
    fileprivate func hasPattern(of other: RoutePath) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { mine, theirs in
                switch (mine, theirs) {
                case (.literal(let word), .literal(let other)): word == other
                case (.parameter, .parameter): true
                default: false
                }
            }
    }
}
