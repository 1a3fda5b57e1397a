import SwiftletHTTP
import SwiftletHTTPServer

extension HTTPServerConfiguration {
    init(_ configuration: Configuration) {
        self.init()
        host = configuration.host
        port = configuration.port
        limits.bodyBytes = configuration.limits.bodyBytes
        // Filters of /rest/v1 list ids: several hundred UUIDs in one `in.(…)` are common.
        if configuration.rest != nil { limits.longTargetPrefix = "/rest/v1/" }
        // Several of the largest bodies fit.
        maximumHeldBodyBytes = max(maximumHeldBodyBytes, 4 * limits.bodyBytes)
        headerTimeout = configuration.limits.header
        bodyTimeout = configuration.limits.request
        requestTimeout = configuration.limits.request
        idleTimeout = configuration.limits.idle
        maximumConnections = configuration.limits.connections
        maximumConnectionsPerAddress = configuration.limits.connectionsPerAddress
        tls = configuration.tls
    }
}
