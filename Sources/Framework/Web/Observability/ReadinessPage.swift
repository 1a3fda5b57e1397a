import SwiftletPostgres
import Synchronization

/// `/ready`: 200 if the database answers, has a connection to give within two seconds and has the server's own tables,
/// else 503. The result is cached for a second.
final class ReadinessPage: Sendable {
    private struct Known {
        var fault: String? = unavailable
        var untilNanoseconds: UInt64 = 0
    }

    private static let lifetimeNanoseconds: UInt64 = 1_000_000_000
    private static let unavailable = "The database does not answer, or has no connection to give"
    private static let stopping = "The server is about to stop"
    private static let unmigrated = "The database lacks tables of the server: swiftlet migrate"

    private let server: ServerState
    private let requiredTables: [String]
    private let known = Mutex(Known())

    init(_ server: ServerState, requiredTables: [String]) {
        self.server = server
        self.requiredTables = requiredTables
    }

    func response() async -> Response {
        let now = server.clock.nanoseconds()
        let fault: String?
        if server.isStopping.load(ordering: .relaxed) {
            fault = Self.stopping
        } else if let known = known.withLock({ $0.untilNanoseconds > now ? $0 : nil }) {
            fault = known.fault
        } else {
            fault = await currentFault()
            // A cancelled ping says nothing about the database.
            if !Task.isCancelled {
                known.withLock { $0 = Known(fault: fault, untilNanoseconds: now &+ Self.lifetimeNanoseconds) }
            }
        }
        guard let fault else { return Response(json: Array(#"{"status":"ready"}"#.utf8)) }
        var response = Response(json: Array(#"{"status":"unavailable","error":"\#(fault)"}"#.utf8))
        response.status = .serviceUnavailable
        response.headers.append(.retryAfter, "1")
        return response
    }

    private func currentFault() async -> String? {
        let isThere = await server.database.ping()
        let hasRoom = await server.database.hasRoom()
        guard isThere, hasRoom else { return Self.unavailable }
        guard !requiredTables.isEmpty else { return nil }
        let names = requiredTables.joined(separator: ",")
        let missing = try? await server.database.query(
            "SELECT 1 FROM unnest(string_to_array(\(names), ',')) AS name WHERE to_regclass(name) IS NULL LIMIT 1"
        )
        guard let missing else { return Self.unavailable }
        return missing.isEmpty ? nil : Self.unmigrated
    }
}
