/// One function's routes, prepared for matching: by length, literal segments before parameters.
final class FunctionRoutes: Sendable {
    /// Patterns by their number of segments.
    private let patterns: [[RoutePattern]]
    /// Those that end with a rest, the longest first.
    private let openPatterns: [RoutePattern]
    private let notFound: Destination
    /// For every path of the function; it needs no token.
    let contentTooLarge: Destination

    var all: [Endpoint] { destinations.map(\.endpoint) }

    var destinations: [Destination] {
        (patterns.joined() + openPatterns).flatMap { $0.destinations + [$0.methodNotAllowed] }
            + [notFound, contentTooLarge]
    }

    init(_ function: Function) throws(DeclarationError) {
        for route in function.routes {
            if let fault = route.table?.fault { throw DeclarationError(fault, in: function, at: route.path) }
        }
        let all = try Self.patterns(of: function)
        patterns = all.map { $0.filter { !$0.hasRest } }
        openPatterns = all.reversed().flatMap { $0.filter(\.hasRest) }
        // A path that is not quite right may have the secret too.
        let loggedPath = function.routes.contains(where: \.path.hasSecret) ? "/\(function.name)/…" : nil
        notFound = Self.refusal(of: function, loggedPath) { _, _ in throw APIError.notFound }
        contentTooLarge = Self.refusal(of: function, loggedPath) { _, _ in throw APIError.contentTooLarge }
    }

    /// `first` is the position of the segment after the function's name.
    func destination(
        for request: Request,
        _ segments: PathSegments,
        from first: Int
    ) -> (Destination, PathParameters) {
        // No fallback to a parameter: a reserved word is never an id, whatever the method.
        let pattern = pattern(for: segments, from: first)
        if let destination = pattern?.destination(for: request.method) {
            return (destination, PathParameters(segments, destination.endpoint, from: first))
        }
        if !openPatterns.isEmpty {
            // A rest has words of any kind, so what has no such method may be meant as one.
            let matching = openPatterns.filter {
                $0.count <= segments.count - first && $0.matches(segments, from: first)
            }
            for open in matching {
                guard let destination = open.destination(for: request.method) else { continue }
                return (destination, PathParameters(segments, destination.endpoint, from: first))
            }
            if pattern == nil, let open = matching.first { return (open.methodNotAllowed, PathParameters(segments)) }
        }
        return (pattern?.methodNotAllowed ?? notFound, PathParameters(segments))
    }

    private func pattern(for path: PathSegments, from first: Int) -> RoutePattern? {
        let length = path.count - first
        guard length < patterns.count else { return nil }
        for pattern in patterns[length] where pattern.matches(path, from: first) { return pattern }
        return nil
    }

    private static func patterns(of function: Function) throws(DeclarationError) -> [[RoutePattern]] {
        for route in function.routes {
            guard let name = route.pathParameters.first(where: { !route.path.hasParameter($0) }) else { continue }
            throw .unknownParameter(function: function.name, path: "/\(function.name)\(route.path)", name: name)
        }
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
            let loggedPath = siblings.contains(where: \.path.hasSecret) ? "/\(function.name)\(path)" : nil
            let methodNotAllowed = refusal(of: function, loggedPath) { _, _ in
                throw APIError.methodNotAllowed(allowed)
            }
            let destinations = siblings.map { Destination(function, $0, loggedPath) }
            let pattern = RoutePattern(path, destinations, methodNotAllowed: methodNotAllowed)
            while patterns.count <= pattern.count { patterns.append([]) }
            patterns[pattern.count].append(pattern)
        }
        return patterns
    }

    /// For `Allow` (RFC 9110 §10.2.1).
    private static func allowedMethods(_ methods: Set<Method>) -> String {
        let head = methods.contains(.get) ? ["HEAD"] : []
        let others = methods.subtracting([.options]).map(\.rawValue).sorted()
        return (others + head + ["OPTIONS"]).joined(separator: ", ")
    }

    private static func refusal(
        of function: Function,
        _ loggedPath: String?,
        _ handler: @escaping Handler
    ) -> Destination {
        let route = Route(.get, "/", access: .everyone, handler: handler).wrapped(in: function.middleware)
        return Destination(function, route, loggedPath)
    }
}

extension Destination {
    fileprivate convenience init(_ function: Function, _ route: Route, _ loggedPath: String?) {
        self.init(
            Endpoint(function.name, pattern: route.path.segments, loggedPath: loggedPath),
            method: route.method,
            access: route.access,
            normalizesDates: function.normalizesDates,
            isCompressed: function.isCompressed,
            streamingLimit: route.streamingLimit,
            knowsParameter: route.knowsParameter,
            isSameOriginOnly: function.isSameOriginOnly,
            isLimited: true,
            readsPrimary: route.readsPrimary,
            limits: route.limits.enumerated().map {
                RateCounter($1, of: "\(function.name)\(route.path)", route.method, $0)
            },
            handler: route.handler
        )
    }
}

extension DeclarationError {
    fileprivate init(_ fault: TableBacking.Fault, in function: Function, at path: RoutePath) {
        self =
            switch fault {
            case .subquery(let rule): .subqueryWithoutTenant(function: function.name, rule: rule)
            case .vocabulary(let fault): .faultyEnumeration(function: function.name, fault: fault)
            case .noParentParameter: .routeWithoutParent(function: function.name, path: "/\(function.name)\(path)")
            }
    }
}

extension RoutePath {
    /// Whether both match the same paths, whatever their parameters are called.
    fileprivate func hasPattern(of other: RoutePath) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { mine, theirs in
                switch (mine, theirs) {
                case (.literal(let word), .literal(let other)): word == other
                case (.parameter, .parameter), (.rest, .rest): true
                default: false
                }
            }
    }
}
