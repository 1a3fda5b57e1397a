import SwiftletEventLoop
import SwiftletHTTP

/// A connection that is a WebSocket from one request on.
extension HTTPConnection {
    /// Between the closes of a shutdown, so that not all clients come back at once.
    private static let drainSpacing: Int64 = 1_000_000
    private static let drainPeriod = 5000

    /// Sends 101 in place of a response.
    func upgrade(_ response: borrowing Response, _ upgrade: WebSocketUpgrade) {
        guard !state.mayBeLastResponse else { return refuse(.serviceUnavailable, "The server is stopping.") }
        guard !incoming.endsMidway, exchange?.request.version == .http11 else {
            return refuse(.badRequest, "A request for a WebSocket has no content.")
        }
        endTask()
        endExchange()
        state.upgraded()
        ResponseSerializer.appendUpgrade(response, accept: upgrade.accept, to: &output.bytes)
        let socket = WebSocketConnection(self, upgrade.limits)
        webSocket = socket
        flushLater()
        socket.open(upgrade, incoming.takeBytes())
    }

    /// What the socket waits for has changed.
    func webSocketChanged() {
        guard let webSocket else { return }
        state.extend(to: webSocket.deadline)
        updateInterest()
        armTimer()
    }

    /// The last frame is on its way.
    func webSocketFinished() {
        webSocket = nil
        releaseBody()
        state.webSocketFinished(at: worker.loop.now)
        flushLater()
        updateInterest()
        armTimer()
    }

    func drainWebSocket() {
        let delay = Int64(slot % Self.drainPeriod) * Self.drainSpacing
        webSocket?.drain(at: worker.loop.now.advanced(by: delay))
    }
}
