/// Adds CORS headers to every response, errors included, and answers preflights (Fetch standard, 3.2).
struct CORS: Sendable {
    private static let allowedHeaders = [
        "authorization", "x-client-info", "apikey", "content-type", "x-tenant-id", "x-request-id",
    ]

    /// How many more names a preflight may ask for.
    private static let maximumFurtherHeaders = 100

    private static let exposedFields = "x-request-id, content-range, retry-after"

    private let policy: CORSPolicy
    private let allowsAny: Bool
    /// All headers except `Access-Control-Allow-Origin`, in one piece each, as every response has them: with and without
    /// `Cache-Control`.
    private let usual: (cacheable: HeaderBlock, uncacheable: HeaderBlock)
    /// The same without `Access-Control-Expose-Headers`, for responses that expose more.
    private let exposing: (cacheable: HeaderBlock, uncacheable: HeaderBlock)
    private let defaultOrigin: HeaderBlock
    private let listed: [String: HeaderBlock]

    init(_ policy: CORSPolicy) {
        self.policy = policy
        allowsAny = policy.origins.contains("*")
        var fields: [(Headers.Name, String)] = [
            (.vary, "Origin"),
            (.accessControlAllowHeaders, Self.allowedHeaders.joined(separator: ", ")),
            (.accessControlAllowMethods, "GET, POST, PUT, PATCH, DELETE, OPTIONS"),
            (.accessControlMaxAge, "86400"),
            (.xContentTypeOptions, "nosniff"),
        ]
        if !allowsAny { fields.append((.accessControlAllowCredentials, "true")) }
        let exposed = [(Headers.Name.accessControlExposeHeaders, Self.exposedFields)]
        let uncacheable = [(Headers.Name.cacheControl, "no-store")]
        usual = (HeaderBlock(fields + exposed), HeaderBlock(fields + exposed + uncacheable))
        exposing = (HeaderBlock(fields), HeaderBlock(fields + uncacheable))
        listed = Dictionary(policy.origins.map { ($0, Self.allow($0)) }) { first, _ in first }
        defaultOrigin = (allowsAny ? nil : policy.origins.first).map(Self.allow) ?? HeaderBlock([])
    }

    /// Adds the headers for a request with that `Origin` field, nil when it has none.
    func apply(to response: inout Response, origin: String?) {
        let blocks = response.exposedFields == nil ? usual : exposing
        let block = response.isCacheable ? blocks.cacheable : blocks.uncacheable
        response.headers.reserve(block, and: 160)
        response.headers.append(block)
        if let more = response.exposedFields {
            response.headers.append(.accessControlExposeHeaders, Self.exposedFields + ", " + more)
        }
        guard let origin else {
            response.headers.append(defaultOrigin)
            return
        }
        if let block = listed[origin] {
            response.headers.append(block)
        } else if allowsAny ? Self.isPrintable(origin) : policy.allowsLoopback && Self.isLoopback(origin) {
            response.headers.append(.accessControlAllowOrigin, origin)
        } else {
            response.headers.append(defaultOrigin)
        }
    }

    /// 204 for any path; no token is needed.
    func preflight(_ request: Request) -> Response {
        var response = Response(status: .noContent)
        apply(to: &response, origin: request.origin)
        guard let wanted = request.combinedHeader(.accessControlRequestHeaders) else { return response }
        var allowed = Self.allowedHeaders
        for part in wanted.split(separator: ",").prefix(Self.maximumFurtherHeaders) {
            // A name is ASCII, which not everything is that becomes ASCII in lower case.
            guard let name = Headers.Name(String(part.trimmingSpaces()))?.text.lowercased() else { continue }
            if !allowed.contains(name) { allowed.append(name) }
        }
        response.headers[.accessControlAllowHeaders] = allowed.joined(separator: ", ")
        return response
    }

    /// For what belongs to pages of this server only: nothing that lets others read it.
    func applyNone(to response: inout Response) {
        response.headers.append(.xContentTypeOptions, "nosniff")
        if !response.isCacheable { response.headers.append(.cacheControl, "no-store") }
    }

    var refusedPreflight: Response {
        var response = Response(status: .noContent)
        applyNone(to: &response)
        return response
    }

    private static func allow(_ origin: String) -> HeaderBlock {
        HeaderBlock([(.accessControlAllowOrigin, origin)])
    }

    /// Visible ASCII, as every serialized origin is (RFC 6454 §6.2).
    private static func isPrintable(_ origin: String) -> Bool {
        !origin.isEmpty && origin.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// `http://localhost:5173`, `http://127.0.0.1`, `http://[::1]:3000`, with either scheme.
    private static func isLoopback(_ origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            let authority = origin.dropFirst(scheme.count)
            for host in ["localhost", "127.0.0.1", "[::1]"] where authority.hasPrefix(host) {
                let rest = authority.dropFirst(host.count)
                if rest.isEmpty { return true }
                return rest.first == ":" && rest.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
            }
        }
        return false
    }
}

extension Request {
    /// What a browser asks before it sends the request itself (Fetch standard, 3.2.2).
    var isPreflight: Bool { header("Access-Control-Request-Method") != nil }

    /// Apps send none, and that is found out faster by the first look.
    var origin: String? { withHeader("origin") { $0 != nil } ? header(.origin) : nil }
}
