import SwiftletEventLoop
import SwiftletHTTP

/// The state machine of a connection: its phase, the phase's deadline, and the action for each event. No I/O.
struct ConnectionState {
    enum Phase: Equatable {
        /// The TLS handshake is in progress. → idle, lingering, closed
        case handshaking
        /// No byte of a request has arrived. → head, body, responding, flushing, lingering, closed
        case idle
        /// A part of a head has arrived. → body, responding, flushing, closed
        case head
        /// A head and a part of its body have arrived. → responding, flushing, closed
        case body
        /// The handler has the request. → idle, flushing, closed
        case responding
        /// It is a WebSocket, which sets the deadline. → flushing, closed
        case upgraded
        /// The client has to take the pending output before anything else is done for it. → idle, lingering, closed
        case flushing(Ending)
        /// Everything is sent; input is read and dropped so that the client can read the response (RFC 9112 §9.6).
        /// → closed
        case lingering
        case closed
    }

    /// What follows once everything is sent.
    enum Ending: Equatable {
        case keepOpen
        case close
        /// Close after the client has closed, or a moment has passed. Closing with unread input resets the connection,
        /// and a reset discards what the client has not read yet.
        case linger
    }

    enum Action: Equatable {
        case none
        /// Continue with the next request, if it has arrived.
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

    /// During a shutdown, how long a client that has just connected may take to send its first request.
    private static let drainGrace: Int64 = 250_000_000

    private let timeouts: Timeouts
    private let isSecure: Bool
    private(set) var phase: Phase
    /// When `deadlinePassed` has to be called. Moves with almost every event, so a timer is not set for each move.
    private(set) var deadline: LoopInstant
    private var peerHasFinished = false
    private var isDraining = false
    /// Whether the client of the current request may use the connection again.
    private var requestKeepsAlive = true
    private var hasServed = false

    init(timeouts: Timeouts, isSecure: Bool, now: LoopInstant) {
        self.timeouts = timeouts
        self.isSecure = isSecure
        phase = isSecure ? .handshaking : .idle
        // Whoever connects has something to ask.
        deadline = now.advanced(by: timeouts.header)
    }

    // MARK: - Questions

    var isReadingRequest: Bool { phase == .idle || phase == .head || phase == .body }
    /// Since when the client has asked for nothing; nil while it does.
    var idleSince: LoopInstant? {
        phase == .idle ? deadline.advanced(by: -(hasServed ? timeouts.idle : timeouts.header)) : nil
    }
    var isClosed: Bool { phase == .closed }

    /// Whether to read from the client while `count` bytes are buffered already.
    func wantsInput(whileBuffered count: Int, limit: Int) -> Bool {
        if peerHasFinished { return false }
        switch phase {
        case .handshaking, .idle, .head, .body, .upgraded, .lingering: return true
        // A shutdown takes nothing in behind the current request.
        case .responding, .flushing(.keepOpen): return count < limit && !isDraining
        case .flushing, .closed: return false
        }
    }

    /// The current response is the last one unless a further request has arrived, so that is worth looking for.
    var mayBeLastResponse: Bool { isDraining || peerHasFinished }

    // MARK: - Requests come in

    mutating func handshakeCompleted(at now: LoopInstant) {
        guard phase == .handshaking else { return }
        phase = .idle
        deadline = now.advanced(by: isDraining ? Self.drainGrace : timeouts.header)
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
        // The time limit is for the phase as a whole, however slowly the bytes arrive.
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

    /// Content of the request has arrived, or its response has gone on: nobody is slow.
    mutating func transferProgressed(at now: LoopInstant) {
        guard phase == .responding else { return }
        deadline = now.advanced(by: max(timeouts.request, timeouts.send))
    }

    /// The client sends nothing more. Its requests are still answered: it may have closed one direction only.
    mutating func peerFinished() -> Action {
        peerHasFinished = true
        switch phase {
        case .handshaking, .idle, .head, .body, .upgraded, .lingering: return .close
        case .flushing(.linger):
            phase = .flushing(.close)
            return .none
        case .responding, .flushing, .closed: return .none
        }
    }

    // MARK: - Responses go out

    /// A response is ready; true when the connection stays open after it.
    mutating func responseReady(
        closes: Bool,
        hasFurtherRequest: Bool,
        hasUnusedInput: Bool,
        at now: LoopInstant
    ) -> Bool {
        let isLast = closes || !requestKeepsAlive || (mayBeLastResponse && !hasFurtherRequest)
        if isLast {
            // A client that asked us to close expects it; any other may be sending its next request, and a TLS client
            // its close_notify or a key update.
            let expectsEnd = peerHasFinished || !(requestKeepsAlive || hasUnusedInput || isSecure)
            phase = .flushing(expectsEnd ? .close : .linger)
            deadline = now.advanced(by: timeouts.send)
        } else {
            phase = .idle
            deadline = now.advanced(by: timeouts.idle)
        }
        return !isLast
    }

    /// A refusal, which is always the last response, is ready.
    mutating func refused(at now: LoopInstant) {
        phase = .flushing(peerHasFinished ? .close : .linger)
        deadline = now.advanced(by: timeouts.send)
    }

    /// All output is sent.
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

    /// The client does not take the output: nothing more is done for it before it has.
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

    // MARK: - WebSocket

    mutating func upgraded() {
        phase = .upgraded
    }

    mutating func extend(to deadline: LoopInstant) {
        if phase == .upgraded { self.deadline = deadline }
    }

    /// Its last frame is ready.
    mutating func webSocketFinished(at now: LoopInstant) {
        guard phase == .upgraded else { return }
        phase = .flushing(peerHasFinished ? .close : .linger)
        deadline = now.advanced(by: timeouts.send)
    }

    // MARK: - Ends

    mutating func deadlinePassed(at now: LoopInstant) -> Action {
        guard deadline <= now else { return .none }
        switch phase {
        case .head, .body: return .refuseSlowRequest
        case .responding: return .refuseSlowHandler
        case .upgraded: return .none
        case .handshaking, .idle, .flushing, .lingering: return .close
        case .closed: return .none
        }
    }

    /// The server shuts down: requests in progress are finished, and no others begun.
    mutating func drain(at now: LoopInstant) -> Action {
        isDraining = true
        guard phase == .idle else { return .none }
        if hasServed { return .linger }
        // Just accepted: its first request may be on its way.
        deadline = min(deadline, now.advanced(by: Self.drainGrace))
        return .none
    }

    mutating func closed() {
        phase = .closed
        deadline = .distantFuture
    }
}
