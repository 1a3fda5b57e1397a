import SwiftletEventLoop
import SwiftletHTTP

/// The frames of a connection that is a WebSocket: bytes to messages for the session, frames out.
/// ``WebSocketState`` decides when it ends; this performs.
final class WebSocketConnection: UpgradedProtocol {
    /// While more than this is unsent, nothing more is read.
    private static let maximumUnsentWhileReading = 262_144

    /// nil once the socket has ended.
    private var connection: HTTPConnection?
    private var session: (any WebSocketSession)?
    private var reader: WebSocketFrameReader
    private var state: WebSocketState
    private let maximumUnsentBytes: Int
    private var isPaused = false
    private var isReading = false
    /// The client has left too much unread. It is cut off at the end of the turn: whoever sends may be in the middle of
    /// sending to others.
    private(set) var isOverloaded = false

    init(_ connection: HTTPConnection, _ limits: WebSocketLimits) {
        self.connection = connection
        reader = WebSocketFrameReader(
            maximumMessageBytes: limits.maximumMessageBytes,
            maximumFragments: limits.maximumFragments
        )
        state = WebSocketState(limits, now: connection.worker.loop.now)
        maximumUnsentBytes = limits.maximumUnsentBytes
        connection.worker.counters.webSocketOpened()
    }

    /// Begins the session, and reads what the client has sent already.
    func open(_ upgrade: WebSocketUpgrade, _ early: [UInt8]) {
        let session = upgrade.open(self)
        guard connection != nil else { return session.ended() }
        self.session = session
        received(early.span)
    }

    var deadline: LoopInstant { state.deadline }

    var wantsInput: Bool { !isPaused && unsentBytes <= Self.maximumUnsentWhileReading }

    // MARK: - In

    func received(_ bytes: borrowing Span<UInt8>) {
        guard let connection else { return }
        reader.append(bytes)
        state.received(at: connection.worker.loop.now)
        readMessages()
    }

    private func readMessages() {
        guard !isReading else { return }
        isReading = true
        do throws(WebSocketError) {
            while connection != nil, !isPaused, let message = try reader.next() { take(message) }
        } catch {
            finish(error.code)
        }
        isReading = false
        guard let connection else { return }
        connection.releaseBody()
        if !connection.hold(reader.heldBytes) { finish(.tryAgainLater) }
        connection.webSocketChanged()
    }

    private func take(_ message: WebSocketMessage) {
        connection?.worker.counters.frameReceived()
        if case .close(let code) = message { return finish(code) }
        guard !state.isClosing else { return }
        switch message {
        case .text(let text): session?.received(text: text)
        case .binary(let bytes): session?.received(binary: bytes)
        case .ping(let payload): send(WebSocketFrames.pong(payload))
        case .pong, .close: break
        }
    }

    // MARK: - Time

    func deadlinePassed() {
        guard let connection else { return }
        switch state.deadlinePassed(at: connection.worker.loop.now) {
        case .none: break
        case .ping: send(WebSocketFrames.ping())
        case .close(let code): close(code)
        case .drop: return connection.closeUnread()
        }
        connection.webSocketChanged()
    }

    func outputBlocked(hasProgressed: Bool) {
        guard let connection else { return }
        state.outputBlocked(hasProgressed: hasProgressed, at: connection.worker.loop.now)
        connection.webSocketChanged()
    }

    func outputEmptied() {
        state.outputEmptied()
        connection?.webSocketChanged()
    }

    func drain(at time: LoopInstant) {
        state.drain(at: time)
        connection?.webSocketChanged()
    }

    // MARK: - End

    /// Sends the last frame, if that has not been done. Nothing more is read.
    func finish(_ code: WebSocketCloseCode?) {
        guard let connection else { return }
        if !state.isClosing { append(WebSocketFrames.close(code)) }
        ended()
        connection.webSocketFinished()
    }

    /// The connection is no WebSocket any more.
    func ended() {
        guard let connection else { return }
        self.connection = nil
        connection.worker.counters.webSocketClosed()
        endSession()
    }

    private func endSession() {
        let session = session.take()
        session?.ended()
    }

    private func append(_ frame: [UInt8]) {
        guard let connection else { return }
        guard unsentBytes + frame.count <= maximumUnsentBytes else {
            isOverloaded = true
            return connection.flushLater()
        }
        connection.worker.counters.frameSent()
        connection.output.bytes += frame
        connection.flushLater()
    }
}

extension WebSocketConnection: WebSocketPeer {
    var unsentBytes: Int { connection?.output.count ?? 0 }

    func send(_ frame: [UInt8]) {
        guard !state.isClosing, !isOverloaded else { return }
        append(frame)
    }

    func close(_ code: WebSocketCloseCode) {
        guard let connection, !state.isClosing else { return }
        append(WebSocketFrames.close(code))
        state.closing(at: connection.worker.loop.now)
        // What the client still sends up to its close frame is dropped.
        isPaused = false
        endSession()
        connection.webSocketChanged()
        readMessages()
    }

    func pause() {
        isPaused = true
        connection?.webSocketChanged()
    }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        readMessages()
    }
}
