import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletWeb

/// The HTTP servers.
extension ServerParts {
    private func handler(_ application: Application) -> HTTPHandler {
        HTTPHandler(
            respond: { await application.answer($0) },
            refuseContent: { await application.refuseContent(of: $0) },
            streamingLimit: { application.streamingLimit(of: $0) },
            refuse: { refusal in
                switch (refusal.cause, refusal.request) {
                case (.slowHandler, let request?): return application.timeoutResponse(to: request, refusal.reason)
                case (.unreadOutput, let request?): return application.withheldResponse(to: request, refusal.reason)
                default: break
                }
                return application.refusalResponse(
                    refusal.status,
                    refusal.reason,
                    from: refusal.remoteAddress,
                    origin: refusal.origin,
                    refusal.request
                )
            },
            ended: { application.end($0, with: $1) }
        )
    }

    func startListening(_ application: Application) throws(ConfigurationError) -> HTTPServer {
        var settings = HTTPServerConfiguration(configuration)
        settings.inheritedSocket = configuration.inheritedSocket
        return try start(settings, on: group, handler(application), "PORT, or --port")
    }

    /// Serves the console, and the functions that it tries, on the address that was set for it, if there is one.
    func startConsole(_ application: Application?) throws(ConfigurationError) -> HTTPServer? {
        guard let application, let listen = configuration.console.listen else { return nil }
        var settings = HTTPServerConfiguration(configuration)
        settings.host = listen.host
        settings.port = listen.port
        let server = try start(settings, on: group, handler(application), "CONSOLE_LISTEN")
        log.logger.info("serving the console", metadata: ["console_port": "\(server.localPort)"])
        return server
    }

    /// Serves `/metrics` on a port of its own, if there is one: plain, and without any function.
    func startMetrics(_ application: Application) throws(ConfigurationError) -> HTTPServer? {
        guard let port = configuration.pages.metricsPort else { return nil }
        var settings = HTTPServerConfiguration(configuration)
        settings.port = port
        settings.tls = nil
        settings.inheritedSocket = nil
        let handler = HTTPHandler(
            respond: { request in
                guard request.path == "/metrics" else { return Response(status: .notFound) }
                guard [.get, .head].contains(request.method) else { return Response(status: .methodNotAllowed) }
                return await application.metricsResponse()
            },
            refuse: { Response(status: $0.status) }
        )
        let server = try start(settings, on: group, handler, "METRICS_PORT")
        log.logger.info("serving metrics", metadata: ["metrics_port": "\(server.localPort)"])
        return server
    }

    private func start(
        _ settings: HTTPServerConfiguration,
        on group: EventLoopGroup,
        _ handler: HTTPHandler,
        _ portSetting: String
    ) throws(ConfigurationError) -> HTTPServer {
        do throws(HTTPServerError) {
            return try HTTPServer.start(settings, on: group, handler: handler)
        } catch {
            switch error {
            case .portTaken, .portForbidden: throw ConfigurationError(["\(error): set another \(portSetting)"])
            case .unknownHost: throw ConfigurationError(["\(error): set another HOST"])
            case .tls: throw ConfigurationError(["\(error): see TLS_CERT_FILE and TLS_KEY_FILE"])
            case .system: throw ConfigurationError(error)
            }
        }
    }
}
