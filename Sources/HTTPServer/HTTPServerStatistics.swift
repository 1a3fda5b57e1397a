/// What the server has counted since it started, by loop.
package struct HTTPServerStatistics: Sendable {
    package struct Loop: Sendable {
        package let openConnections: Int
        package let acceptedConnections: Int
        package let requests: Int
        /// Answers that the server made by itself: malformed or slow requests, slow handlers.
        package let refusals: Int
        /// How often accepting paused because the system had no descriptor or memory left.
        package let acceptFailures: Int
    }

    package let loops: [Loop]

    package var openConnections: Int { loops.reduce(0) { $0 + $1.openConnections } }
    package var acceptedConnections: Int { loops.reduce(0) { $0 + $1.acceptedConnections } }
    package var requests: Int { loops.reduce(0) { $0 + $1.requests } }
    package var refusals: Int { loops.reduce(0) { $0 + $1.refusals } }
    package var acceptFailures: Int { loops.reduce(0) { $0 + $1.acceptFailures } }
}
