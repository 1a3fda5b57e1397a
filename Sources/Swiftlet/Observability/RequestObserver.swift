import Synchronization

/// Counts and logs every request exactly once.
final class RequestObserver: Sendable {
    private let log: RequestLog?
    private let clock: ServerClock
    private let inFlightCount = Atomic<Int>(0)
    private let preflights = Endpoint(name: "preflight", method: .options, access: .everyone) { _, _ in Response() }
    private let endpoints = Mutex<[Endpoint]>([])

    var inFlight: Int { inFlightCount.load(ordering: .relaxed) }
    var watched: [Endpoint] { endpoints.withLock(\.self) }

    /// A request between its arrival and its response.
    struct Visit {
        let requestID: String
        let startNanoseconds: UInt64
        var endpoint: Endpoint
        /// Set once the caller is authenticated.
        var context: Context.Storage?
    }

    init(_ log: RequestLog?, _ clock: ServerClock) {
        self.log = log
        self.clock = clock
    }

    func watch(_ endpoints: [Endpoint]) {
        self.endpoints.withLock { $0 = endpoints + [preflights] }
    }

    func begin(_ request: Request) -> Visit {
        inFlightCount.wrappingAdd(1, ordering: .relaxed)
        let requestID = RequestID.take(from: request, clock)
        request.note { $0.id = requestID }
        return Visit(
            requestID: requestID,
            startNanoseconds: clock.nanoseconds(),
            endpoint: preflights
        )
    }

    /// Logs what never became a request, with the id that its response carries.
    func refused(_ refused: RequestLog.RefusedRequest) {
        log?.write(refused, at: clock.milliseconds())
    }

    func end(_ visit: Visit, _ request: Request, _ response: Response) {
        let nanoseconds = clock.nanoseconds() &- visit.startNanoseconds
        inFlightCount.wrappingSubtract(1, ordering: .relaxed)
        visit.endpoint.metrics.add(request.method, response.status, nanoseconds: nanoseconds)
        log?.write(visit, request, response, nanoseconds: nanoseconds, at: clock.milliseconds())
    }
}
