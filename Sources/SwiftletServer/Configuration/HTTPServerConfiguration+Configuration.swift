import HTTP
import HTTPServer

extension HTTPServerConfiguration {
    init(_ configuration: Configuration) {
        self.init()
        host = configuration.host
        port = configuration.port
        limits.bodyBytes = configuration.limits.bodyBytes
        // Several of the largest bodies fit.
        maximumHeldBodyBytes = max(maximumHeldBodyBytes, 4 * limits.bodyBytes)
        headerTimeout = configuration.limits.header
        bodyTimeout = configuration.limits.request
        requestTimeout = configuration.limits.request
        idleTimeout = configuration.limits.idle
        maximumConnections = configuration.limits.connections
        tls = configuration.tls
    }
}
