import Postgres
import Synchronization

/// `/ready`: 200 if the database answers, else 503. The result is cached for a second.
final class ReadinessPage: Sendable {
    private struct Known {
        var isReady = false
        var untilNanoseconds: UInt64 = 0
    }

    private static let lifetimeNanoseconds: UInt64 = 1_000_000_000

    private let server: ServerState
    private let known = Mutex(Known())

    init(_ server: ServerState) {
        self.server = server
    }

    func response() async -> Response {
        let now = server.clock.nanoseconds()
        let remembered = known.withLock { $0.untilNanoseconds > now ? $0.isReady : nil }
        let isReady: Bool
        if let remembered {
            isReady = remembered
        } else {
            isReady = await server.database.ping()
            // A cancelled ping says nothing about the database.
            if !Task.isCancelled {
                known.withLock { $0 = Known(isReady: isReady, untilNanoseconds: now &+ Self.lifetimeNanoseconds) }
            }
        }
        if isReady { return Response(json: Array(#"{"status":"ready"}"#.utf8)) }
        var response = Response(json: Array(#"{"status":"unavailable","error":"The database does not answer"}"#.utf8))
        response.status = .serviceUnavailable
        response.headers.append(.retryAfter, "1")
        return response
    }
}
