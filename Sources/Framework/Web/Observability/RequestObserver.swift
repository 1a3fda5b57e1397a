import Synchronization

/// Counts and logs every request exactly once.
final class RequestObserver: Sendable {
    private let log: RequestLog?
    private let clock: ServerClock
    private let tracer: Tracer?
    private let inFlightCount = Atomic<Int>(0)
    private let preflights = Endpoint("preflight")
    private let endpoints = Mutex<[Endpoint]>([])

    var inFlight: Int { inFlightCount.load(ordering: .relaxed) }
    var watched: [Endpoint] { endpoints.withLock(\.self) }

    init(_ log: RequestLog?, _ clock: ServerClock, _ tracer: Tracer? = nil) {
        self.log = log
        self.clock = clock
        self.tracer = tracer
    }

    func watch(_ endpoints: [Endpoint]) {
        self.endpoints.withLock { $0 = endpoints + [preflights] }
    }

    /// Counts the request in. A preflight counts as one, wherever it asks for.
    func begin(
        _ request: Request,
        _ endpoint: Endpoint,
        isPreflight: Bool = false,
        _ parameters: PathParameters,
        _ server: ServerState,
        startNanoseconds: UInt64,
        placement: ReadPlacement? = nil
    ) -> RequestState {
        inFlightCount.wrappingAdd(1, ordering: .relaxed)
        let traceParent = TraceParent.take(from: request)
        let state = RequestState(
            id: RequestID.take(from: request, clock),
            isPreflight ? preflights : endpoint,
            loggedPath: endpoint.loggedPath,
            parameters,
            server,
            startNanoseconds: startNanoseconds,
            traceParent: traceParent,
            trace: tracer?.begin(traceParent, clock),
            placement: placement
        )
        request.attach(state)
        return state
    }

    /// Logs what never became a request, with the id that its response carries.
    func refused(_ refused: RequestLog.RefusedRequest) {
        log?.write(refused, at: clock.milliseconds())
    }

    func end(_ state: RequestState, _ request: Request, _ response: Response) {
        let nanoseconds = clock.nanoseconds() &- state.startNanoseconds
        inFlightCount.wrappingSubtract(1, ordering: .relaxed)
        state.endpoint.metrics.add(request.method, response.status, nanoseconds: nanoseconds)
        log?.write(state, request, response, nanoseconds: nanoseconds, at: clock.milliseconds())
        if let trace = state.trace, trace.context.isSampled { end(trace, of: state, request, response) }
    }

    private func end(_ trace: Trace, of state: RequestState, _ request: Request, _ response: Response) {
        let route = state.endpoint.route
        var attributes: [(name: String, value: TraceSpan.Value)] = [
            ("http.request.method", .text(request.method.rawValue)), ("http.route", .text(route)),
            ("url.path", .text(state.loggedPath ?? request.path)),
            ("http.response.status_code", .integer(response.status.rawValue)),
            ("swiftlet.request_id", .text(state.id)), ("swiftlet.rows", .integer(state.rows)),
        ]
        if let tenant = state.loggedCaller.tenant { attributes.append(("swiftlet.tenant", .text(tenant))) }
        let name = "\(request.method.rawValue) \(route)"
        trace.end(name, .server, attributes, isFailed: response.status.rawValue >= 500)
    }
}
