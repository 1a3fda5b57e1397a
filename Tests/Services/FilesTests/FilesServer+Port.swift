import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletTesting
import SwiftletWeb

extension FilesServer {
    /// Serves through real sockets, which fill up and break.
    func withPort(_ body: (_ port: Int) async throws -> Void) async throws {
        let application = application.application
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        // A busy machine takes longer than clients would.
        (configuration.bodyTimeout, configuration.sendTimeout) = (.seconds(120), .seconds(120))
        let handler = HTTPHandler(
            respond: { await application.respond(to: $0) },
            streamingLimit: { application.streamingLimit(of: $0) },
            refuse: { Response(status: $0.status) }
        )
        let server = try HTTPServer.start(configuration, on: self.application.group, handler: handler)
        do {
            try await body(server.localPort)
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
    }
}
