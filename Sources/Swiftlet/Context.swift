public import Auth
public import Logging
import Postgres

/// What a handler knows of the request beside the request itself: who asks, for which tenant, and the way to the data.
public struct Context: Sendable {
    let storage: Storage

    /// One reference, so that a handler's frames and calls stay small however much a request carries.
    final class Storage: Sendable {
        let requestID: String
        let parameters: PathParameters
        let server: ServerState
        let identity: User?
        let tenant: TenantID?
        let trace = RequestTrace()

        init(
            requestID: String,
            parameters: PathParameters,
            server: ServerState,
            identity: User?,
            tenant: TenantID?
        ) {
            self.requestID = requestID
            self.parameters = parameters
            self.server = server
            self.identity = identity
            self.tenant = tenant
        }
    }

    /// Echoed in `X-Request-ID`, in error bodies and in the log.
    public var requestID: String { storage.requestID }

    /// The values of the route's `:parameters`.
    public var parameters: PathParameters { storage.parameters }

    var server: ServerState { storage.server }
    var identity: User? { storage.identity }

    /// The verified user. Throws 401 on a route that is open to everyone and got no token.
    public var user: User {
        get throws(APIError) {
            guard let identity else { throw APIError.unauthorized }
            return identity
        }
    }

    /// The tenant from the verified token. Throws 400 `NO_TENANT` when the token has none.
    public var tenant: TenantID {
        get throws(APIError) {
            guard let tenant = storage.tenant else { throw .noTenant }
            return tenant
        }
    }

    /// The database, for statements that name this request's tenant.
    public var database: TenantDatabase {
        get throws(APIError) {
            TenantDatabase(context: self, tenant: try tenant)
        }
    }

    /// A logger that carries the request's id. Never log bodies, tokens or SQL values.
    public var logger: Logger {
        var logger = server.logger
        logger[metadataKey: "request_id"] = "\(requestID)"
        return logger
    }

    /// Runs `work` off the event loops: password hashing, files, anything that blocks. The only door out of a loop.
    public func offload<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await server.offload.run(work)
    }
}

extension Context {
    /// One statement of the resource layer, which carries the scope already.
    func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        let start = server.databaseClock()
        defer { storage.trace.addDatabase(nanoseconds: server.databaseClock() &- start) }
        let rows = try await server.database.query(statement, parameters)
        storage.trace.addRows(rows.count)
        return rows
    }

    /// Two reads under one round trip.
    func queryPair(
        _ first: Statement,
        _ firstParameters: consuming Parameters,
        _ second: Statement,
        _ secondParameters: consuming Parameters
    ) async throws(PostgresError) -> RowsPair {
        let start = server.databaseClock()
        defer { storage.trace.addDatabase(nanoseconds: server.databaseClock() &- start) }
        let pair = try await server.database.queryPair(first, firstParameters, second, secondParameters)
        storage.trace.addRows(pair.first.count)
        return pair
    }
}
