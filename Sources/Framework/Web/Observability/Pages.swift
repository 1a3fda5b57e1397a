/// The server's own pages: `/`, `/health`, `/ready`, `/metrics`.
enum Pages {
    static func all(
        _ functions: [Function],
        _ configuration: ApplicationConfiguration,
        _ server: ServerState,
        _ metrics: MetricsPage
    ) -> [String: Destination] {
        let shown = configuration.publicPages
        let names = shown.contains(.functionNames) ? functions.filter(\.isListed).map(\.name) : []
        let health = HealthPage(names, version: configuration.version, server.clock)
        let readiness = ReadinessPage(server, requiredTables: configuration.requiredTables)
        let healthPage = page("health") { _, _ in health.response() }
        let welcome = configuration.welcome.map { Array($0.utf8) }
        let root = page("health") { request, _ in
            guard let welcome, request.isRead, request.header(.accept)?.contains("text/html") == true else {
                return health.response()
            }
            return .welcome(welcome)
        }
        var pages = [
            "": root,
            "health": healthPage,
            "ready": readPage("ready") { await readiness.response() },
        ]
        if shown.contains(.metrics) { pages["metrics"] = readPage("metrics") { await metrics.response() } }
        return pages
    }

    private static func readPage(_ name: String, _ response: @escaping @Sendable () async -> Response) -> Destination {
        page(name) { request, _ in
            guard request.isRead else { throw APIError.methodNotAllowed("GET, HEAD, OPTIONS") }
            return await response()
        }
    }

    private static func page(_ name: String, _ handler: @escaping Handler) -> Destination {
        Destination(Endpoint(name), method: .get, access: .everyone, handler: handler)
    }
}

extension Response {
    fileprivate static func welcome(_ html: [UInt8]) -> Response {
        var response = Response(body: html)
        response.headers.append(.contentType, "text/html; charset=utf-8")
        response.headers.append(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )
        response.headers.append(.vary, "Accept")
        return response
    }
}
