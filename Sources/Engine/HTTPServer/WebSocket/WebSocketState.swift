import SwiftletEventLoop
import SwiftletHTTP

/// When a WebSocket is pinged, closed or given up. No I/O.
struct WebSocketState {
    enum Action: Equatable {
        case none
        case ping
        case close(WebSocketCloseCode)
        /// The client takes nothing, or does not answer the close.
        case drop
    }

    /// In nanoseconds.
    private let idle, send: Int64
    private var lastByte: LoopInstant
    private var isPinged = false
    /// Our close frame is on its way: only the client's is waited for.
    private(set) var isClosing = false
    private var drainsAt = LoopInstant.distantFuture
    /// When a client that takes nothing, or does not close, is given up.
    private var dropsAt = LoopInstant.distantFuture

    init(_ limits: WebSocketLimits, now: LoopInstant) {
        idle = limits.idleTimeout.wholeNanoseconds
        send = limits.sendTimeout.wholeNanoseconds
        lastByte = now
    }

    /// When `deadlinePassed` has to be called.
    var deadline: LoopInstant {
        isClosing ? dropsAt : min(dropsAt, drainsAt, lastByte.advanced(by: isPinged ? idle : idle / 2))
    }

    mutating func received(at now: LoopInstant) {
        lastByte = now
        isPinged = false
    }

    mutating func outputBlocked(hasProgressed: Bool, at now: LoopInstant) {
        guard !isClosing, hasProgressed || dropsAt == .distantFuture else { return }
        dropsAt = now.advanced(by: send)
    }

    mutating func outputEmptied() {
        if !isClosing { dropsAt = .distantFuture }
    }

    mutating func closing(at now: LoopInstant) {
        isClosing = true
        dropsAt = now.advanced(by: send)
    }

    /// The server shuts down, and the client is to be told at that time.
    mutating func drain(at time: LoopInstant) {
        drainsAt = time
    }

    mutating func deadlinePassed(at now: LoopInstant) -> Action {
        guard deadline <= now else { return .none }
        if isClosing || dropsAt <= now { return .drop }
        // Not 1001, behind which some clients do not come back.
        if drainsAt <= now || lastByte.advanced(by: idle) <= now { return .close(.serviceRestart) }
        isPinged = true
        return .ping
    }
}
