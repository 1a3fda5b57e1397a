public import Auth
public import Logging
import Postgres

/// The context of a request: the caller, the tenant, and access to the database.
public struct Context: Sendable {
    let storage: Storage

    /// One reference, so that passing a context is cheap however much it holds.
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

    /// The verified user. Throws 401 on an ``Route/open()`` route, where no token is checked.
    public var user: User {
        get throws(APIError) {
            guard let identity else { throw APIError.unauthorized }
            return identity
        }
    }

    /// The tenant that this request works in: the user's own, or for platform users the one in `x-tenant-id`. Throws
    /// 400 `NO_TENANT` if there is none.
    public var tenant: TenantID {
        get throws(APIError) {
            guard let tenant = storage.tenant else { throw .noTenant }
            return tenant
        }
    }

    /// The database, for statements that bind this request's tenant. Throws 400 `NO_TENANT` if there is none.
    public var database: TenantDatabase {
        get throws(APIError) {
            TenantDatabase(context: self, tenant: try tenant)
        }
    }

    /// A logger with the request's id as metadata. Never log bodies, tokens or SQL values.
    public var logger: Logger {
        var logger = server.logger
        logger[metadataKey: "request_id"] = "\(requestID)"
        return logger
    }

    /// Runs blocking work (password hashing, file access) on another thread; an event loop must never block.
    ///
    /// Rethrows the error of `work`, or throws ``APIError`` 503 `OVERLOADED` if too much work is waiting.
    public func offload<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await server.offload.run(work)
    }
}

extension Context {
    /// Runs a statement of the resource layer, which already contains the scope.
    func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        let start = server.databaseClock()
        defer { storage.trace.addDatabase(nanoseconds: server.databaseClock() &- start) }
        let rows = try await server.database.query(statement, parameters)
        storage.trace.addRows(rows.count)
        return rows
    }

    /// Runs two reads in one round trip.
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
