/// Finds where a request goes. There always is a destination: "not found" and "method not allowed" are some too.
struct Router: Sendable {
    private let functions: [String: FunctionRoutes]
    private let pages: [String: Destination]
    private let functionNotFound: Destination
    private let contentTooLarge: Destination
    /// Every endpoint, for the metrics page.
    let endpoints: [Endpoint]
    /// The limits of all routes.
    let limits: [RateCounter]

    /// Optional leading segments, as different gateways and clients send them.
    private static let prefixes: [[StaticString]] = [["api", "v1"], ["functions", "v1"], ["api"], ["v1"]]

    /// `offersNames`: who asks for an unknown function is told the others' names.
    init(
        functions: [Function],
        pages: [String: Destination],
        offersNames: Bool = true
    ) throws(DeclarationError) {
        let names = functions.filter(\.isListed).map(\.name).sorted()
        var routes: [String: FunctionRoutes] = [:]
        for function in functions {
            guard Self.canReach(function.name) else { throw .unreachableFunction(function.name) }
            guard pages[function.name] == nil else { throw .functionNamedLikePage(function.name) }
            guard routes.updateValue(try FunctionRoutes(function), forKey: function.name) == nil else {
                throw .duplicateFunction(function.name)
            }
        }
        self.functions = routes
        self.pages = pages
        functionNotFound = Destination(Endpoint("none"), method: .get, access: .everyone, isLimited: true) {
            request,
            _ in
            let error = APIError(.notFound, "NOT_FOUND", "Function not found")
            let segments = request.pathSegments
            let start = Self.functionPosition(segments)
            let wanted = start < segments.count ? segments[start].description : nil
            throw offersNames ? error.offering(names, insteadOf: wanted) : error
        }
        contentTooLarge = Destination(Endpoint("none"), method: .post, access: .everyone, isLimited: true) { _, _ in
            throw APIError.contentTooLarge
        }
        limits = routes.values.flatMap(\.destinations).flatMap(\.limits)
        let others = pages.values + [functionNotFound, contentTooLarge]
        endpoints = others.map(\.endpoint) + self.functions.values.flatMap(\.all)
    }

    /// Whether a path can begin with `name`, as it is written: of the characters that need no escape (RFC 3986 §2.3),
    /// and not cut off as a prefix.
    private static func canReach(_ name: String) -> Bool {
        !name.isEmpty && !prefixes.joined().contains { $0.description == name }
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
    }

    func destination(for request: Request) -> (Destination, PathParameters) {
        let segments = request.pathSegments
        let start = Self.functionPosition(segments)
        guard start < segments.count else {
            return (pages[""] ?? functionNotFound, PathParameters(segments))
        }
        let name = segments[start]
        if let function = functions[name] {
            return function.destination(for: request, segments, from: start + 1)
        }
        let page = start + 1 == segments.count ? pages[name] : nil
        return (page ?? functionNotFound, PathParameters(segments))
    }

    /// Where a request goes whose content exceeds the limit.
    func refusalOfContent(for request: Request) -> (Destination, PathParameters) {
        let segments = request.pathSegments
        let start = Self.functionPosition(segments)
        let function = start < segments.count ? functions[segments[start]] : nil
        return (function?.contentTooLarge ?? contentTooLarge, PathParameters(segments))
    }

    /// The position of the function's name in a path.
    static func functionPosition(_ segments: PathSegments) -> Int {
        // Fast path: few paths begin with one of these letters.
        guard segments.count > 0, segments.mayBegin(with: "avf") else { return 0 }
        for prefix in prefixes where segments.count >= prefix.count {
            if prefix.indices.allSatisfy({ segments.segment($0, equals: prefix[$0]) }) { return prefix.count }
        }
        return 0
    }
}
