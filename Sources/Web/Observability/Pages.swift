/// The server's own pages: `/`, `/health`, `/ready`, `/metrics`.
enum Pages {
    static func all(
        _ functions: [Function],
        _ configuration: ApplicationConfiguration,
        _ server: ServerState,
        _ observer: RequestObserver
    ) -> [String: Destination] {
        let health = HealthPage(functions.filter(\.isListed).map(\.name), version: configuration.version, server.clock)
        let readiness = ReadinessPage(server)
        let metrics = MetricsPage(server, observer, more: configuration.serverMetrics)
        let healthPage = page("health") { _, _ in health.response() }
        return [
            "": healthPage,
            "health": healthPage,
            "ready": readPage("ready") { await readiness.response() },
            "metrics": readPage("metrics") { await metrics.response() },
        ]
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
