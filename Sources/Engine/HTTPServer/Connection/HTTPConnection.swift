import SwiftletEventLoop
import SwiftletHTTP

/// One client: bytes in, requests to the handler, responses out. ``ConnectionState`` decides; this performs.
///
/// An idle connection owns no buffer: reads go to the loop's scratch memory, and only unused bytes are kept.
final class HTTPConnection: ReadinessHandler {
    /// While this much output is unsent, no further request of the client is begun.
    static let maximumOutputBytes = 262_144
    /// While a response is pending, at most this much of later requests is taken from the kernel. What has arrived
    /// together with a request may be more, and a TLS record is taken whole.
    static let maximumPipelinedBytes = 16_384
    /// The producer of a response waits while more than this is unsent.
    static let maximumStreamedBytes = 131_072
    /// The first bytes of a body do not count against the worker's limit: ordinary requests are always served.
    static let freeBodyBytes = 16_384

    /// Its index among the worker's connections.
    var slot: Int
    let worker: Worker
    private let remoteAddress: String
    let network: ClientNetwork
    var transport: ClientSocket
    var registration: Registration?
    var interest: Interest = .read
    private var timer: LoopTimer?

    var state: ConnectionState
    var incoming: IncomingRequests
    var output = OutputBuffer()
    var isBlocked = false
    var flushIsDue = false
    /// What the content of the current request counts against the worker's limit.
    var heldBodyBytes = 0
    /// What the output counts against the worker's limit.
    var heldOutputBytes = 0

    /// The request that is being answered.
    var exchange: Exchange?
    /// Created for the first request.
    private var task: RequestTask?
    /// Once the connection is one.
    var webSocket: (any UpgradedProtocol)?

    init(
        _ transport: consuming ClientSocket,
        from address: SocketAddress,
        _ network: ClientNetwork,
        worker: Worker,
        slot: Int
    ) {
        self.network = network
        self.worker = worker
        self.slot = slot
        remoteAddress = address.host
        let isSecure = transport.isSecure
        self.transport = transport
        state = ConnectionState(timeouts: worker.timeouts, isSecure: isSecure, now: worker.loop.now)
        incoming = IncomingRequests(
            limits: worker.configuration.limits,
            remoteAddress: remoteAddress,
            streamingLimit: worker.handler.streamingLimit
        )
    }

    /// Since when nothing is asked; nil while something is.
    var idleSince: LoopInstant? { state.idleSince }

    /// When the client is given up.
    var deadline: LoopInstant { state.deadline }

    /// False when the loop cannot watch the socket.
    func start() -> Bool {
        registration = try? worker.loop.register(transport.number, interest, self)
        guard registration != nil else { return false }
        armTimer()
        return true
    }

    func ready(_ readiness: Readiness) {
        if state.phase == .handshaking { return continueHandshake() }
        if readiness.contains(.write) {
            if transport.readWantsWrite { receive() }
            flush()
        }
        // An event that was fetched before the interest changed is ignored.
        if readiness.contains(.read), interest.contains(.read) {
            receive()
        } else if !readiness.isDisjoint(with: .broken) {
            close()
        }
    }

    // MARK: - Bytes in

    private func continueHandshake() {
        switch transport.continueHandshake() {
        case .completed:
            state.handshakeCompleted(at: worker.loop.now)
            updateInterest()
            armTimer()
        case .wantsRead: setInterest(.read)
        case .wantsWrite: setInterest(.write)
        // Not closed at once, so that the client can read the alert.
        case .failed: linger()
        }
    }

    /// One read per event: if there is more, the poller reports it again.
    private func receive() {
        guard !state.isClosed else { return }
        let scratch = unsafe worker.loop.scratch
        if state.phase == .lingering {
            if unsafe !transport.discard(into: scratch) { close() }
            return
        }
        // Not less than a byte: a read of nothing looks like the end of the stream.
        let pipelineRoom = max(1, Self.maximumPipelinedBytes - incoming.bufferedBytes)
        let isEager = state.isReadingRequest || state.phase == .upgraded || wantsBody
        let limit = isEager ? scratch.count : pipelineRoom
        switch unsafe transport.read(into: scratch, limit: limit) {
        case .bytes(let count):
            let bytes = unsafe UnsafeBufferPointer(scratch).span
            take(bytes.extracting(..<count))
        case .endOfStream:
            bodyEnded()
            perform(state.peerFinished())
            updateInterest()
        case .wouldBlock:
            if transport.readWantsWrite { updateInterest() }
        case .failed: close()
        }
    }

    private func take(_ bytes: borrowing Span<UInt8>) {
        switch state.phase {
        case .idle, .head, .body: act(on: incoming.next(with: bytes))
        // The rest of a body that is refused.
        case .responding where exchange?.refusesContent == true: break
        case .responding, .flushing(.keepOpen):
            incoming.keep(bytes)
            if wantsBody { takeBody() } else { updateInterest() }
        case .upgraded: webSocket?.received(bytes)
        case .handshaking, .flushing, .lingering, .closed: break
        }
    }

    /// Begins the next request, if it has arrived.
    func advance() {
        guard state.isReadingRequest else { return }
        act(on: incoming.next())
    }

    private func act(on next: IncomingRequests.Next) {
        switch next {
        case .request(let request):
            guard hold(request.body.count) else {
                exchange = Exchange(request)
                refuseForLackOfRoom()
                break
            }
            begin(request)
        case .tooLarge(let request):
            worker.counters.requestRefused()
            incoming.removeAll()
            begin(request, isTooLarge: true)
        case .error(let error): refuse(error.status, error.reason)
        case .incomplete:
            guard hold(incoming.bodyBytes) else {
                refuseForLackOfRoom()
                break
            }
            perform(state.requestIncomplete(incoming.phase, at: worker.loop.now))
        case .awaitsContinue:
            perform(state.requestIncomplete(incoming.phase, at: worker.loop.now))
            guard !state.isClosed else { return }
            ResponseSerializer.appendContinue(to: &output.bytes)
            flush()
        }
        armTimer()
    }

    private func refuseForLackOfRoom() {
        refuse(.serviceUnavailable, "Too many large requests are arriving; try again.")
    }

    // MARK: - The request

    private func begin(_ request: Request, isTooLarge: Bool = false) {
        // A client whose body is refused is still sending it: whatever it asked for, it does not expect us to close.
        state.requestCompleted(keepAlive: request.keepAlive || isTooLarge, at: worker.loop.now)
        worker.counters.requestBegun()
        exchange = Exchange(request, refusesContent: isTooLarge)
        if let stream = request.bodyStream { begin(stream) }
        if let task { return task.run(request, isTooLarge: isTooLarge) }
        let task = RequestTask(
            on: worker.loop,
            handler: worker.handler,
            unreadOutput: worker.unreadOutput,
            streams: streaming,
            deliver: { [unowned self] response in responded(response) }
        )
        self.task = task
        task.run(request, isTooLarge: isTooLarge)
    }

    private func responded(_ response: consuming Response) {
        exchange?.intake.isWanted = false
        if let upgrade = response.upgrade { return self.upgrade(response, upgrade) }
        let keepAlive = state.responseReady(
            // The rest of a body that nobody has read cannot be told from a request.
            closes: exchange?.refusesContent == true || incoming.endsMidway,
            hasFurtherRequest: state.mayBeLastResponse && !incoming.endsMidway && incoming.hasFurtherRequest(),
            hasUnusedInput: !incoming.isEmpty,
            at: worker.loop.now
        )
        send(response, keepAlive: keepAlive)
        armTimer()
    }

    func endTask() {
        task?.end()
        task = nil
    }

    func refuse(_ status: Status, _ reason: String, cause: Refusal.Cause = .request) {
        worker.counters.requestRefused()
        endTask()
        let head = exchange == nil ? incoming.unreadableHead : nil
        let incomplete = incoming.removeAll()
        let refused = exchange?.request ?? incomplete
        let response = worker.handler.refuse(
            Refusal(
                status: status,
                reason: reason,
                remoteAddress: remoteAddress,
                request: refused,
                origin: refused.map { $0.header(.origin) } ?? head?.origin,
                cause: cause
            )
        )
        state.refused(at: worker.loop.now)
        let isHead = refused.map { $0.method == .head } ?? head?.isHead
        send(response, isHead: isHead == true, keepAlive: false)
    }

    // MARK: - Time and end

    func perform(_ action: ConnectionState.Action) {
        switch action {
        case .none: break
        case .proceed: advance()
        case .refuseSlowRequest: refuse(.requestTimeout, "The request took too long to arrive.")
        // Its response has begun.
        case .refuseSlowHandler where isStreaming: close()
        case .refuseSlowHandler: refuse(.serviceUnavailable, "The answer took too long.", cause: .slowHandler)
        case .linger: linger()
        case .close: close()
        }
    }

    /// One timer per connection. It is moved only to fire earlier; when it fires too early, it is set again.
    func armTimer() {
        guard !state.isClosed else { return }
        guard let timer else {
            timer = worker.loop.schedule(at: state.deadline) { [unowned self] in timerFired() }
            return
        }
        if state.deadline < timer.deadline { timer.reschedule(at: state.deadline) }
    }

    private func timerFired() {
        let phase = state.phase
        if phase == .upgraded {
            webSocket?.deadlinePassed()
            guard !state.isClosed else { return }
            timer?.reschedule(at: state.deadline)
            return
        }
        let action = state.deadlinePassed(at: worker.loop.now)
        // A client that reads its last response slowly may go on with that.
        if action == .close, phase != .lingering { return closeUnread() }
        perform(action)
        guard !state.isClosed else { return }
        timer?.reschedule(at: state.deadline)
    }

    /// The server shuts down. Requests that have arrived by now are still served.
    func drain() {
        if state.phase == .idle { receive() }
        perform(state.drain(at: worker.loop.now))
        drainWebSocket()
        updateInterest()
        armTimer()
    }

    /// Closes a connection whose client has taken nothing for too long. The kernel would keep what it has not taken for
    /// minutes.
    func closeUnread() {
        if transport.hasUnacknowledgedBytes { transport.resetOnClose() }
        close()
    }

    /// The time of a shutdown is over. What has come of a request is answered.
    func cutOff() {
        switch state.phase {
        case .head, .body: refuse(.serviceUnavailable, "The server is stopping.")
        case .responding where !isStreaming: refuse(.serviceUnavailable, "The server is stopping.")
        case .upgraded: webSocket?.finish(.serviceRestart)
        case .handshaking, .idle, .responding, .flushing, .lingering, .closed: close()
        }
    }

    func linger() {
        incoming.removeAll()
        transport.finishWriting()
        state.lingeringBegan(at: worker.loop.now)
        updateInterest()
        armTimer()
    }

    /// Closes at once and cancels the handler.
    func close() {
        guard !state.isClosed else { return }
        state.closed()
        endTask()
        webSocket?.ended()
        webSocket = nil
        exchange?.request.bodyStream?.end(CancellationError())
        incoming.removeAll()
        output.removeAll()
        isBlocked = false
        resumeStream()
        endExchange()
        holdOutput()
        timer?.cancel()
        timer = nil
        if let registration { worker.loop.deregister(registration) }
        registration = nil
        transport.close()
        worker.closed(self)
    }
}
