import Synchronization

/// Counts and logs requests at the border, once each.
final class RequestObserver: Sendable {
    private let log: RequestLog?
    private let clock: ServerClock
    private let inFlightCount = Atomic<Int>(0)
    private let preflights = Endpoint(name: "preflight", method: .options, access: .everyone) { _, _ in Response() }
    private let endpoints = Mutex<[Endpoint]>([])

    var inFlight: Int { inFlightCount.load(ordering: .relaxed) }
    var watched: [Endpoint] { endpoints.withLock(\.self) }

    /// A request between its arrival and its answer.
    struct Visit {
        let requestID: String
        let startNanoseconds: UInt64
        var endpoint: Endpoint
        /// From the moment on when it is known who asks.
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
        return Visit(
            requestID: RequestID.take(from: request, clock),
            startNanoseconds: clock.nanoseconds(),
            endpoint: preflights
        )
    }

    func end(_ visit: Visit, _ request: Request, _ response: Response) {
        let nanoseconds = clock.nanoseconds() &- visit.startNanoseconds
        inFlightCount.wrappingSubtract(1, ordering: .relaxed)
        visit.endpoint.metrics.add(request.method, response.status, nanoseconds: nanoseconds)
        log?.write(visit, request, response, nanoseconds: nanoseconds, at: clock.milliseconds())
    }
}
