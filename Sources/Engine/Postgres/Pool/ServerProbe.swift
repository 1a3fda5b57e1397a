import SwiftletEventLoop

/// Asks the server for a sign of life on a new connection, for when every other is at work: statements that have become
/// slow are no outage. Belongs to its loop's thread.
final class ServerProbe {
    private let loop: EventLoop
    private let isBehindPooler: Bool
    private var connector: Connector?
    private var lastHeardAt = LoopInstant.distantPast

    init(isBehindPooler: Bool, on loop: EventLoop) {
        self.isBehindPooler = isBehindPooler
        self.loop = loop
    }

    /// When the server last answered. Its refusal is an answer, too, as when it
    /// has no connection left; a pooler's is not.
    var heardAt: LoopInstant {
        guard !isBehindPooler, let answeredAt = connector?.answeredAt else { return lastHeardAt }
        return max(lastHeardAt, answeredAt)
    }

    /// Begins a new attempt; one that is still under way is given up.
    func ask(_ settings: ConnectionSettings, timeout: Duration) {
        cancel()
        connector = Connector(
            settings,
            isBehindPooler: isBehindPooler,
            timeout: timeout,
            on: loop,
            succeed: { [weak self] _ in self?.answered() },
            fail: { [weak self] _ in self?.forgetConnector() }
        )
    }

    func cancel() {
        connector?.cancel()
        forgetConnector()
    }

    private func forgetConnector() {
        lastHeardAt = heardAt
        connector = nil
    }

    private func answered() {
        forgetConnector()
        lastHeardAt = loop.now
    }
}
