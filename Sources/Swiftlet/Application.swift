import Auth
import Logging
import Postgres

/// Turns every request into a response and never throws.
///
/// In this order: request id → preflight → router → token → tenant → handler → errors → dates → CORS headers → log.
package final class Application: Sendable {
    private let server: ServerState
    private let router: Router
    private let authentication: Authentication
    private let cors: CORS
    private let observer: RequestObserver

    package init(functions: [Function], _ configuration: ApplicationConfiguration) throws(DeclarationError) {
        let server = ServerState(configuration)
        let observer = RequestObserver(configuration.requestLog, server.clock)
        self.server = server
        self.observer = observer
        authentication = Authentication(
            verifier: configuration.verifier,
            refreshKeys: configuration.refreshKeys
        )
        cors = CORS(configuration.cors)
        router = try Router(
            functions: functions,
            pages: Pages.all(functions, configuration, server, observer)
        )
        observer.watch(router.endpoints)
    }

    /// The page of metrics refers to the observer, and the observer to all endpoints: they would never end.
    deinit { observer.watch([]) }

    /// A read whose response does not fit into what clients have left unread gets 503. A change has been made by then,
    /// so its response is never withheld.
    package func respond(to request: Request, within unread: UnreadOutput? = nil) async -> Response {
        var visit = observer.begin(request)
        var response: Response
        if request.method == .options, !request.isTooLarge {
            response = cors.preflight(request)
        } else {
            let (endpoint, parameters) = router.endpoint(for: request)
            visit.endpoint = endpoint
            do {
                response = try await answer(request, endpoint, parameters, &visit)
                if request.method == .get, let unread, !unread.admits(response.body.count) {
                    throw APIError.unavailable("OVERLOADED", "Too many large responses are being read; try again.")
                }
            } catch {
                response = refusal(error, visit.requestID, request)
            }
            response.normaliseDates()
            cors.apply(to: &response, for: request)
        }
        response.headers.append(.xRequestID, visit.requestID)
        observer.end(visit, request, response)
        return response
    }

    /// The response to what is not answered: invalid syntax, slow clients, too much content under way.
    /// `request` is nil if not even its head was valid.
    package func refuse(
        _ status: Status,
        _ reason: String,
        from remoteAddress: String,
        _ request: Request? = nil
    ) -> Response {
        let requestID =
            request.map { $0.notes.id ?? RequestID.take(from: $0, server.clock) } ?? RequestID.make(server.clock)
        observer.refused(
            RequestLog.Refusal(
                requestID: requestID,
                status: status,
                reason: reason,
                remoteAddress: remoteAddress,
                request: request
            )
        )
        let code = APIError.code(for: status)
        let error = status == .serviceUnavailable ? .unavailable(code, reason) : APIError(status, code, reason)
        return response(error, requestID, to: request)
    }

    /// The response to a request whose handler takes too long. The handler has been cancelled, and writes the log line
    /// when it ends.
    package func timeOut(_ request: Request, _ reason: String) -> Response {
        request.note { $0.isTimedOut = true }
        let reason =
            request.isRead ? reason : "\(reason) Whether a change was made is unknown, so look before repeating it."
        return response(.unavailable("TIMEOUT", reason), request.notes.id ?? RequestID.make(server.clock), to: request)
    }

    private func response(_ error: APIError, _ requestID: String, to request: Request?) -> Response {
        var response = Response(error, requestID)
        cors.apply(to: &response, for: request)
        response.headers.append(.xRequestID, requestID)
        return response
    }

    private func answer(
        _ request: Request,
        _ endpoint: Endpoint,
        _ parameters: PathParameters,
        _ visit: inout RequestObserver.Visit
    ) async throws -> Response {
        var user: User?
        var tenant: TenantID?
        if endpoint.access != .everyone {
            var caller: User
            switch authentication.user(of: request) {
            case .success(let verified): caller = verified
            case .failure(let error): caller = try await authentication.user(of: request, after: error)
            }
            tenant = try await server.tenants.tenant(for: caller, request, server.database)
            if tenant == nil {
                caller = try await server.memberships.resolve(caller, server.database)
                tenant = try await server.tenants.tenant(for: caller, request, server.database)
            }
            user = caller
        }
        let context = Context.Storage(
            requestID: visit.requestID,
            parameters: parameters,
            server: server,
            identity: user,
            tenant: tenant
        )
        visit.context = context
        try admit(user, tenant, endpoint.access)
        return try await endpoint.handler(request, Context(context))
    }

    private func admit(_ user: User?, _ tenant: TenantID?, _ access: Route.Access) throws(APIError) {
        guard access != .everyone else { return }
        guard let user, user.isPerson else { throw .unauthorized }
        guard tenant != nil else { throw .noTenant }
        if case .level(let level) = access, user.roleLevel < level { throw .insufficientRole(needs: level) }
    }

    private func refusal(_ error: any Error, _ requestID: String, _ request: Request) -> Response {
        let isAbandoned = request.wasAbandoned(error)
        let answer = APIError(error, isRead: request.isRead)
        if answer.status.rawValue >= 500 {
            var metadata = FailureLog.metadata(answer.code.rawValue, error)
            metadata["request_id"] = "\(requestID)"
            let level: Logger.Level = isAbandoned ? .debug : FailureLog.level(of: error)
            server.logger.log(level: level, "request failed", metadata: metadata)
        }
        return isAbandoned ? Response(status: Self.clientClosedRequest) : Response(answer, requestID)
    }

    /// nginx's status for a client that disconnected before the answer was ready; nobody reads it.
    private static let clientClosedRequest: Status = 499
}

extension Request {
    var isRead: Bool { method == .get || method == .head }
}
