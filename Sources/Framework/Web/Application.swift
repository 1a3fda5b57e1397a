import SwiftletAuth
import Logging
import SwiftletPostgres
import Synchronization

/// Turns every request into a response and never throws.
///
/// In this order: request id → preflight → router → token → tenant → handler → errors → dates → CORS headers → log.
package final class Application: Sendable {
    let server: ServerState
    let router: Router
    private let authentication: Authentication
    private let cors: CORS
    private let compression = ResponseCompression()
    let observer: RequestObserver
    private let metrics: MetricsPage
    let rates: RateLimits
    private let sharesRates: Bool

    /// Functions that are served beside those of the app.
    package static let ownFunctions: Set = [Batch.name]

    package init(functions: [Function], _ configuration: ApplicationConfiguration) throws(DeclarationError) {
        let server = ServerState(
            configuration.database,
            verifier: configuration.verifier,
            logger: configuration.logger,
            clock: configuration.clock,
            measuresDatabase: configuration.requestLog != nil,
            values: configuration.values,
            isDevelopment: configuration.isDevelopment,
            tracer: configuration.tracer,
            replicas: configuration.replicas
        )
        let observer = RequestObserver(configuration.requestLog, server.clock, configuration.tracer)
        self.server = server
        self.observer = observer
        metrics = MetricsPage(server, observer, more: configuration.serverMetrics)
        authentication = Authentication(
            verifier: configuration.verifier,
            refreshKeys: configuration.refreshKeys
        )
        cors = CORS(configuration.cors)
        // An app's own function of that name counts instead.
        let batch = Batch()
        let ours = functions.contains { $0.name == Batch.name } ? [] : [batch.function]
        router = try Router(
            functions: functions + ours,
            pages: Pages.all(functions, configuration, server, metrics),
            offersNames: configuration.publicPages.contains(.functionNames)
        )
        observer.watch(router.endpoints)
        rates = RateLimits(configuration.rates, routes: router.limits, clock: server.clock)
        sharesRates = configuration.rates.isShared
        batch.serve(self)
    }

    /// Tells other servers how much of the limits was used here, until the task is cancelled.
    package func shareRates() async {
        if sharesRates { await RateSharing(rates, server.database, server.logger).run() }
    }

    /// What `/metrics` answers, also where it is no public page.
    package func metricsResponse() async -> Response { await metrics.response() }

    /// From now on `/ready` is 503, so that whoever divides the requests between servers sends none here any more. All
    /// that come are still answered.
    package func prepareToStop() { server.isStopping.store(true, ordering: .relaxed) }

    /// For callers inside this process: a server calls ``answer(_:)`` and, when it knows what the client gets,
    /// ``end(_:with:)``.
    package func respond(to request: Request) async -> Response {
        let response = await answer(request)
        end(request, with: response)
        return response
    }

    /// The request counts as in flight until ``end(_:with:)``, which has to follow.
    package func answer(_ request: Request) async -> Response {
        let start = server.clock.nanoseconds()
        let route = router.destination(for: request)
        if request.method == .options, route.0.method != .options || request.isPreflight {
            let parameters = PathParameters(request.pathSegments)
            let state = observer.begin(
                request,
                route.0.endpoint,
                isPreflight: true,
                parameters,
                server,
                startNanoseconds: start
            )
            var response = route.0.isSameOriginOnly ? cors.refusedPreflight : cors.preflight(request)
            response.headers.append(.xRequestID, state.id)
            return response
        }
        return await answer(request, at: route, startNanoseconds: start)
    }

    /// The answer to a request whose content exceeds the limit, in the format of its function.
    package func refuseContent(of request: Request) async -> Response {
        await answer(request, at: router.refusalOfContent(for: request), startNanoseconds: server.clock.nanoseconds())
    }

    /// Counts and logs a request, with what its client gets.
    package func end(_ request: Request, with response: Response) {
        // The state holds the path's parameters, and they hold the request.
        guard let state = request.detach() as? RequestState else { return }
        observer.end(state, request, response)
    }

    @inline(__always)
    private func answer(
        _ request: Request,
        at route: (destination: Destination, parameters: PathParameters),
        startNanoseconds: UInt64
    ) async -> Response {
        let destination = route.destination
        let state = observer.begin(
            request,
            destination.endpoint,
            route.parameters,
            server,
            startNanoseconds: startNanoseconds,
            placement: server.replicas?.placement(of: request, readsPrimary: destination.readsPrimary)
        )
        var response: Response
        var admission = rates.begin(destination)
        do {
            response = try await handle(request, destination, state, &admission)
        } catch {
            response = failureResponse(error, state.id, request)
        }
        admission?.report(in: &response)
        state.addNotes(to: &response)
        await state.placement?.tell(in: &response)
        if destination.normalizesDates { response.normalizeDates() }
        if destination.isSameOriginOnly {
            cors.applyNone(to: &response)
        } else {
            cors.apply(to: &response, origin: request.origin)
        }
        response.headers.append(.xRequestID, state.id)
        if destination.isCompressed, compression.suits(&response, to: request) {
            await compression.compress(&response)
        }
        return response
    }

    /// The text of `/metrics`, without a request.
    package func metricsText() async -> String { await metrics.text() }

    /// How much content a request may have whose handler reads it as it arrives; nil for all others.
    package func streamingLimit(of request: Request) -> Int? {
        router.destination(for: request).0.streamingLimit
    }

    /// The response to what never became a request: invalid syntax, slow clients, too much content under way. It is
    /// logged here. `request` is nil if not even its head was valid; then `origin` is what was found in its place.
    package func refusalResponse(
        _ status: Status,
        _ reason: String,
        from remoteAddress: String,
        origin: String? = nil,
        _ request: Request? = nil
    ) -> Response {
        let requestID =
            request.map { $0.state?.id ?? RequestID.take(from: $0, server.clock) } ?? RequestID.make(server.clock)
        observer.refused(
            RequestLog.RefusedRequest(
                requestID: requestID,
                status: status,
                reason: reason,
                remoteAddress: remoteAddress,
                request: request,
                path: request.map { router.destination(for: $0).0.endpoint.loggedPath ?? $0.path } ?? ""
            )
        )
        let code = APIError.code(for: status)
        let error = status == .serviceUnavailable ? .unavailable(code, reason) : APIError(status, code, reason)
        return unhandledResponse(error, requestID, origin: origin)
    }

    /// The response to a request whose handler takes too long. The handler has been cancelled, and writes the log line
    /// when it ends.
    package func timeoutResponse(to request: Request, _ reason: String) -> Response {
        let state = request.state
        state?.timeOut()
        let reason =
            request.isRead ? reason : "\(reason) Whether a change was made is unknown, so look before repeating it."
        let requestID = state?.id ?? RequestID.make(server.clock)
        return unhandledResponse(.unavailable("TIMEOUT", reason), requestID, origin: request.origin)
    }

    /// The response to a read whose answer is large, while clients have left too much unread.
    package func withheldResponse(to request: Request, _ reason: String) -> Response {
        let requestID = request.state?.id ?? RequestID.make(server.clock)
        let error = APIError.unavailable("OVERLOADED", reason)
        log(error, code: "OVERLOADED", requestID: requestID, FailureLog.level(of: error))
        return unhandledResponse(error, requestID, origin: request.origin)
    }

    /// A response that comes from no handler, with the headers that ``answer(_:)`` adds to others.
    private func unhandledResponse(_ error: APIError, _ requestID: String, origin: String?) -> Response {
        var response = Response(error, requestID)
        cors.apply(to: &response, origin: origin)
        response.headers.append(.xRequestID, requestID)
        return response
    }

    /// Identifies the caller, and runs the destination's handler. Throws what the handler throws, and ``APIError`` for
    /// callers who may not use it.
    ///
    /// A part of a batch runs in the transaction of `batch`, if it has one.
    func handle(
        _ request: Request,
        _ destination: Destination,
        _ state: RequestState,
        _ admission: inout RateAdmission?,
        in batch: Context? = nil
    ) async throws -> Response {
        if admission != nil { try admission?.admit(address: rates.address(of: request)) }
        if destination.access.needsToken {
            let (user, tenant) = try await identify(request, &admission)
            state.identify(user, in: tenant)
            try admission?.admit(user, tenant)
            try admit(user, tenant, destination.access)
        } else if admission?.isOpen == true {
            // Its handler says who it is, if there is anybody: here it is enough to know whom to count.
            let user = destination.access == .byHandler ? try? authentication.verifyToken(of: request).get() : nil
            try admission?.admit(user, user?.tenant)
        }
        // It has come with the head, or inside this process.
        if let limit = destination.streamingLimit, request.body.count > limit { throw APIError.contentTooLarge }
        let ignored = destination.ignoredParameters(of: request, server.database.schema)
        if !ignored.isEmpty, request.prefersStrictHandling {
            throw APIError.validation(ignored.reduce(into: [:]) { $0[$1] = "is unknown" })
        }
        state.placement?.noteHandler()
        var response: Response
        if batch == nil, destination.keepsAnswers, let keyed = try IdempotentRequest(request, state) {
            response = try await keyed.answer(Context(state)) { context in
                var response = try await destination.handler(request, context)
                if destination.normalizesDates {
                    response.normalizeDates()
                    response.datesAreNormalized = true
                }
                return response
            }
        } else {
            response = try await destination.handler(request, batch?.joined(by: state) ?? Context(state))
        }
        response.list(ignored, in: .xIgnoredParameters)
        return response
    }

    /// The user of the request's token, and the tenant that they work in; nil if they have none.
    ///
    /// Who is not let in counts as well: a valid token for its account, and any other for its address.
    @inline(__always)
    private func identify(_ request: Request, _ admission: inout RateAdmission?) async throws -> (User, TenantID?) {
        var known: User?
        do {
            var user = try await authentication.user(of: request)
            known = user
            try admission?.admit(account: user)
            var tenant = try await server.tenants.tenant(for: user, request, server.database)
            if tenant == nil {
                user = try await server.memberships.resolve(user, server.database)
                tenant = try await server.tenants.tenant(for: user, request, server.database)
            }
            return (user, tenant)
        } catch {
            try admission?.admit(known, nil)
            throw error
        }
    }

    private func admit(_ user: User, _ tenant: TenantID?, _ access: Route.Access) throws(APIError) {
        guard access.needsPerson else { return }
        guard user.isPerson else { throw .nobody }
        guard tenant != nil || !access.needsTenant else { throw .noTenant }
        if let level = access.minimumLevel, user.roleLevel < level { throw .insufficientRole(needs: level) }
    }

    /// The response to an error of ``handle(_:_:_:)``. Server errors are logged.
    func failureResponse(_ error: any Error, _ requestID: String, _ request: Request) -> Response {
        let isAbandoned = request.wasAbandoned(error)
        let answer = APIError(error, isRead: request.isRead)
        if answer.status.rawValue >= 500 {
            let level = isAbandoned ? .debug : FailureLog.level(of: error)
            log(error, code: answer.code.rawValue, requestID: requestID, level)
        }
        return isAbandoned ? Response(status: Self.clientClosedRequest) : Response(answer, requestID)
    }

    private func log(_ error: any Error, code: String, requestID: String, _ level: Logger.Level) {
        var metadata = FailureLog.metadata(code, error)
        metadata["request_id"] = "\(requestID)"
        server.logger.log(level: level, "request failed", metadata: metadata)
    }

    /// nginx's status for a client that disconnected before the answer was ready; nobody reads it.
    private static let clientClosedRequest: Status = 499
}

extension Request {
    var isRead: Bool { method == .get || method == .head }
}
