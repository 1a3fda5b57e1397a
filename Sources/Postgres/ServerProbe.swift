import EventLoop

/// Asks the server for a sign of life on a new connection, for when every other is at work: statements that have become
/// slow are no outage. Belongs to its loop's thread.
final class ServerProbe: ReadinessHandler {
    private let loop: EventLoop
    /// A pooler takes and refuses connections whether its server answers or not, so only the answer to a query counts.
    private let isBehindPooler: Bool
    private var connector: Connector?
    private var handle: ConnectionHandle?
    private var registration: Registration?
    private var lastHeardAt = LoopInstant.distantPast

    init(isBehindPooler: Bool, on loop: EventLoop) {
        self.isBehindPooler = isBehindPooler
        self.loop = loop
    }

    /// When the server last answered; a refusal is an answer, too, as when it has no connection left.
    var heardAt: LoopInstant {
        guard !isBehindPooler, let answeredAt = connector?.answeredAt else { return lastHeardAt }
        return max(lastHeardAt, answeredAt)
    }

    /// Begins a new attempt; one that is still under way is given up.
    func ask(_ settings: ConnectionSettings, timeout: Duration) {
        cancel()
        connector = Connector(
            settings,
            timeout: timeout,
            on: loop,
            succeed: { [weak self] handle in self?.connected(handle) },
            fail: { [weak self] _ in self?.forgetConnector() }
        )
    }

    func cancel() {
        connector?.cancel()
        forgetConnector()
        drop()
    }

    private func forgetConnector() {
        lastHeardAt = heardAt
        connector = nil
    }

    private func connected(_ handle: consuming ConnectionHandle) {
        forgetConnector()
        guard isBehindPooler, handle.sendUnprepared(Self.query, .none), handle.sync() else { return }
        registration = try? loop.register(handle.descriptor, .read, self)
        self.handle = consume handle
    }

    private static let query = ContiguousArray("SELECT 1".utf8CString)

    func ready(_ readiness: Readiness) {
        if handle?.consumeInput() == true { lastHeardAt = loop.now }
        drop()
    }

    private func drop() {
        if let registration { loop.deregister(registration) }
        registration = nil
        handle = nil
    }
}
