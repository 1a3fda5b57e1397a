import EventLoop

/// Asks the server for a sign of life by connecting once more, for when every connection is at work: statements that have
/// become slow are no outage. Belongs to its loop's thread.
final class SignOfLife {
    private var connector: Connector?
    /// When the server last took such a connection, which is closed at once.
    private(set) var heardAt = LoopInstant(nanoseconds: 0)

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
            fail: { [weak self] _ in self?.connector = nil }
        )
    }

    func cancel() {
        connector?.cancel()
        connector = nil
    }
}
