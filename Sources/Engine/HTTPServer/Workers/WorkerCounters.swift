import Synchronization

/// The counters of one loop. Written by that loop, read by any thread.
final class WorkerCounters: Sendable {
    private let open = Atomic(0)
    private let accepted = Atomic(0)
    private let requests = Atomic(0)
    private let refusals = Atomic(0)
    private let acceptFailures = Atomic(0)
    private let webSockets = Atomic(0)
    private let framesIn = Atomic(0)
    private let framesOut = Atomic(0)

    func connectionOpened() {
        Self.count(accepted)
        Self.count(open)
    }

    func connectionClosed() { Self.count(open, by: -1) }
    func requestBegun() { Self.count(requests) }
    func requestRefused() { Self.count(refusals) }
    func acceptFailed() { Self.count(acceptFailures) }
    func webSocketOpened() { Self.count(webSockets) }
    func webSocketClosed() { Self.count(webSockets, by: -1) }
    func frameReceived() { Self.count(framesIn) }
    func frameSent() { Self.count(framesOut) }

    var values: HTTPServerStatistics.Loop {
        HTTPServerStatistics.Loop(
            openConnections: open.load(ordering: .relaxed),
            acceptedConnections: accepted.load(ordering: .relaxed),
            requests: requests.load(ordering: .relaxed),
            refusals: refusals.load(ordering: .relaxed),
            acceptFailures: acceptFailures.load(ordering: .relaxed),
            openWebSockets: webSockets.load(ordering: .relaxed),
            receivedFrames: framesIn.load(ordering: .relaxed),
            sentFrames: framesOut.load(ordering: .relaxed)
        )
    }

    /// With a single writer, a separate load and store suffice.
    @inline(__always)
    private static func count(_ counter: borrowing Atomic<Int>, by difference: Int = 1) {
        counter.store(counter.load(ordering: .relaxed) &+ difference, ordering: .relaxed)
    }
}
