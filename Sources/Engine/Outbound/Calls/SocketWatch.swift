import SwiftletEventLoop

/// One of libcurl's sockets in the loop's poller.
final class SocketWatch: ReadinessHandler {
    private let descriptor: CInt
    private unowned let transfers: LoopTransfers
    private var registration: Registration?

    /// nil when the poller refuses the socket.
    init?(_ descriptor: CInt, _ interest: Interest, _ transfers: LoopTransfers, on loop: EventLoop) {
        self.descriptor = descriptor
        self.transfers = transfers
        guard let registration = try? loop.register(descriptor, interest, self) else { return nil }
        self.registration = registration
    }

    func update(_ interest: Interest, on loop: EventLoop) {
        if let registration { loop.update(registration, interest) }
    }

    func end(on loop: EventLoop) {
        if let registration { loop.deregister(registration) }
        registration = nil
    }

    func ready(_ readiness: Readiness) {
        // `CURL_CSELECT_IN`, `_OUT` and `_ERR`.
        var events: CInt = 0
        if readiness.contains(.read) || readiness.contains(.hangup) { events |= 1 }
        if readiness.contains(.write) { events |= 2 }
        if readiness.contains(.error) { events |= 4 }
        transfers.act(descriptor, events)
    }
}
