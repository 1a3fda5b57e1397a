import EventLoop

/// Asks the server for a sign of life by connecting once more, for when every connection is at work: statements that have
/// become slow are no outage. Belongs to its loop's thread.
final class ServerProbe {
    private var connector: Connector?
    /// When the server last answered such an attempt; the connection is closed at once.
    private(set) var heardAt = LoopInstant.distantPast

    func ask(_ settings: ConnectionSettings, timeout: Duration, on loop: EventLoop) {
        guard connector == nil else { return }
        connector = Connector(
            settings,
            timeout: timeout,
            on: loop,
            succeed: { [weak self] _ in
                self?.connector = nil
                self?.heardAt = loop.now
            },
            fail: { [weak self] _ in
                // A refusal is an answer, too, as when the server has no connection left.
                if self?.connector?.isAnswered == true { self?.heardAt = loop.now }
                self?.connector = nil
            }
        )
    }

    func cancel() {
        connector?.cancel()
        connector = nil
    }
}
