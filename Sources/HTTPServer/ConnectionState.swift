import EventLoop
import HTTP

/// What a connection is at, until when, and what is to be done when something happens: decisions only, no I/O.
struct ConnectionState {
    enum Phase: Equatable {
        /// The TLS handshake runs. → idle, closed
        case handshaking
        /// No byte of a request is here. → head, body, responding, closed
        case idle
        /// A head is coming in. → body, responding, flushing, closed
        case head
        /// A body is coming in. → responding, flushing, closed
        case body
        /// The handler has the request. → idle, flushing, closed
        case responding
        /// Nothing is done for the client before it has taken what waits for it. → idle, lingering, closed
        case flushing(Ending)
        /// We have said our last word, and read on so that the client can read it (RFC 9112 §9.6). → closed
        case lingering
        case closed
    }

    /// What follows when everything is sent.
    enum Ending: Equatable {
        case keepOpen
        case close
        /// Not before the client has closed, or a moment has passed: closing with bytes unread resets the connection,
        /// and a reset destroys what the client has not read yet.
        case linger
    }

    enum Action: Equatable {
        case none
        /// Go on with the next request, if it is here.
        case proceed
        /// Answer 408, then close.
        case refuseSlowRequest
        /// Cancel the handler and answer 503 in its place, then close.
        case refuseSlowHandler
        /// Finish sending and read on for a moment.
        case linger
        case close
    }

    /// In nanoseconds: a `Duration` has 128 bits, and these are added to the clock several times per request.
    struct Timeouts {
        let header, body, request, idle, send, linger: Int64

        init(
            header: Duration,
            body: Duration,
            request: Duration,
            idle: Duration,
            send: Duration,
            linger: Duration
        ) {
            self.header = header.wholeNanoseconds
            self.body = body.wholeNanoseconds
            self.request = request.wholeNanoseconds
            self.idle = idle.wholeNanoseconds
            self.send = send.wholeNanoseconds
            self.linger = linger.wholeNanoseconds
        }
    }

    /// For the first request of a client that has come just before the end.
    private static let lastChance: Int64 = 250_000_000

    private let timeouts: Timeouts
    private(set) var phase: Phase
    /// When `deadlinePassed` has something to say. Moves with almost every event: nobody arms a timer for each move.
    private(set) var deadline: LoopInstant
    private(set) var peerHasFinished = false
    private(set) var isDraining = false
    /// Whether the client of the current request may use the connection again.
    private var requestKeepsAlive = true
    private var hasServed = false

    init(timeouts: Timeouts, isSecure: Bool, now: LoopInstant) {
        self.timeouts = timeouts
        phase = isSecure ? .handshaking : .idle
        deadline = now.advanced(by: isSecure ? timeouts.header : timeouts.idle)
    }

    // MARK: - Questions

    var isReadingRequest: Bool { phase == .idle || phase == .head || phase == .body }
    var isClosed: Bool { phase == .closed }

    /// Whether bytes from the client are of use, when so many are waiting already.
    func wantsInput(whileBuffered count: Int, limit: Int) -> Bool {
        if peerHasFinished { return false }
        switch phase {
        case .handshaking, .idle, .head, .body, .lingering: return true
        // At the end nothing new is taken in behind what is under way.
        case .responding, .flushing(.keepOpen): return count < limit && !isDraining
        case .flushing, .closed: return false
        }
    }

    /// The current response can be the last only when no further request is here: worth looking for one.
    var mayBeLastResponse: Bool { isDraining || peerHasFinished }

    // MARK: - Requests come in

    mutating func handshakeCompleted(at now: LoopInstant) {
        guard phase == .handshaking else { return }
        phase = .idle
        deadline = now.advanced(by: isDraining ? Self.lastChance : timeouts.idle)
    }

    /// More bytes are needed for the next request.
    mutating func requestIncomplete(_ progress: RequestParser.Phase, at now: LoopInstant) -> Action {
        guard isReadingRequest else { return .none }
        // The rest of the request will never come.
        if peerHasFinished { return .close }
        let next: Phase =
            switch progress {
            case .idle: .idle
            case .head: .head
            case .body: .body
            }
        if next == .idle, isDraining, hasServed { return .linger }
        // Each phase has its time as a whole, however many bytes come in bit by bit.
        guard next != phase else { return .none }
        phase = next
        switch next {
        case .head: deadline = now.advanced(by: timeouts.header)
        case .body: deadline = now.advanced(by: timeouts.body)
        default: deadline = now.advanced(by: timeouts.idle)
        }
        return .none
    }

    mutating func requestCompleted(keepAlive: Bool, at now: LoopInstant) {
        phase = .responding
        requestKeepsAlive = keepAlive
        hasServed = true
        deadline = now.advanced(by: timeouts.request)
    }

    /// The client sends nothing more. What it has asked is answered all the same: it may have closed one half only.
    mutating func peerFinished() -> Action {
        peerHasFinished = true
        switch phase {
        case .handshaking, .idle, .head, .body, .lingering: return .close
        case .flushing(.linger):
            phase = .flushing(.close)
            return .none
        case .responding, .flushing, .closed: return .none
        }
    }

    // MARK: - Responses go out

    /// Whether the connection stays open behind the response that is ready now.
    mutating func responseReady(
        closes: Bool,
        hasFurtherRequest: Bool,
        hasUnusedInput: Bool,
        at now: LoopInstant
    ) -> Bool {
        let isLast = closes || !requestKeepsAlive || (mayBeLastResponse && !hasFurtherRequest)
        if isLast {
            // A client that asked for the end expects it; to anyone else it may come amid a next request.
            let expectsEnd = peerHasFinished || !(requestKeepsAlive || hasUnusedInput)
            phase = .flushing(expectsEnd ? .close : .linger)
            deadline = now.advanced(by: timeouts.send)
        } else {
            phase = .idle
            deadline = now.advanced(by: timeouts.idle)
        }
        return !isLast
    }

    /// The server's own, last answer is ready.
    mutating func refused(at now: LoopInstant) {
        phase = .flushing(peerHasFinished ? .close : .linger)
        deadline = now.advanced(by: timeouts.send)
    }

    /// Everything that was ready is sent.
    mutating func outputEmptied(hasFurtherInput: Bool, at now: LoopInstant) -> Action {
        guard case .flushing(let ending) = phase else {
            return phase == .idle && hasFurtherInput ? .proceed : .none
        }
        switch ending {
        case .keepOpen:
            phase = .idle
            deadline = now.advanced(by: timeouts.idle)
            return .proceed
        case .close: return .close
        case .linger: return .linger
        }
    }

    /// The client does not take what is ready: before it has, nothing more is done for it.
    mutating func outputBlocked(hasProgressed: Bool, at now: LoopInstant) {
        if phase == .idle {
            phase = .flushing(.keepOpen)
            deadline = now.advanced(by: timeouts.send)
        } else if case .flushing = phase, hasProgressed {
            deadline = now.advanced(by: timeouts.send)
        }
    }

    mutating func lingeringBegan(at now: LoopInstant) {
        phase = .lingering
        deadline = now.advanced(by: timeouts.linger)
    }

    // MARK: - Ends

    mutating func deadlinePassed(at now: LoopInstant) -> Action {
        guard deadline <= now else { return .none }
        switch phase {
        case .head, .body: return .refuseSlowRequest
        case .responding: return .refuseSlowHandler
        case .handshaking, .idle, .flushing, .lingering: return .close
        case .closed: return .none
        }
    }

    /// The server shuts down: what is under way is finished, and nothing new begun.
    mutating func drain(at now: LoopInstant) -> Action {
        isDraining = true
        guard phase == .idle else { return .none }
        if hasServed { return .linger }
        // Accepted a moment ago: its first request may be on its way.
        deadline = min(deadline, now.advanced(by: Self.lastChance))
        return .none
    }

    mutating func closed() {
        phase = .closed
        deadline = .distantFuture
    }
}
