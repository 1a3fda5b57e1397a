/// The server's own pages: `/`, `/health`, `/ready`, `/metrics`.
enum Pages {
    static func all(
        _ functions: [Function],
        _ configuration: ApplicationConfiguration,
        _ server: ServerState,
        _ observer: RequestObserver
    ) -> [String: Endpoint] {
        let health = HealthPage(functions.filter(\.isListed).map(\.name), version: configuration.version, server.clock)
        let readiness = ReadinessPage(server)
        let metrics = MetricsPage(server, observer, more: configuration.serverMetrics)
        let healthEndpoint = page("health") { _, _ in health.response() }
        return [
            "": healthEndpoint,
            "health": healthEndpoint,
            "ready": page("ready") { _, _ in await readiness.response() },
            "metrics": page("metrics") { _, _ in await metrics.response() },
        ]
    }

    private static func page(_ name: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(name: name, method: .get, access: .everyone, handler: handler)
    }
}
