/// The server's counters since its start, by loop.
package struct HTTPServerStatistics: Sendable {
    package struct Loop: Sendable {
        package let openConnections: Int
        package let acceptedConnections: Int
        package let requests: Int
        /// Responses that the server made itself: to malformed or slow requests, or for slow handlers.
        package let refusals: Int
        /// How often accepting failed because the system was out of descriptors or memory.
        package let acceptFailures: Int
        package let openWebSockets: Int
        /// Messages and control frames of WebSockets.
        package let receivedFrames: Int
        package let sentFrames: Int
    }

    package let loops: [Loop]

    package var openConnections: Int { loops.reduce(0) { $0 + $1.openConnections } }
    package var acceptedConnections: Int { loops.reduce(0) { $0 + $1.acceptedConnections } }
    package var requests: Int { loops.reduce(0) { $0 + $1.requests } }
    package var refusals: Int { loops.reduce(0) { $0 + $1.refusals } }
    package var acceptFailures: Int { loops.reduce(0) { $0 + $1.acceptFailures } }
    package var openWebSockets: Int { loops.reduce(0) { $0 + $1.openWebSockets } }
    package var receivedFrames: Int { loops.reduce(0) { $0 + $1.receivedFrames } }
    package var sentFrames: Int { loops.reduce(0) { $0 + $1.sentFrames } }
}
