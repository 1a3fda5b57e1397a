import SwiftletEventLoop

/// A connection that only listens on one channel. Belongs to the control loop.
///
/// Notifications sent while it was down are lost, so each new connection is reported as well. With a ``PrimaryFence`` it
/// does not connect to a former primary, where nobody notifies any more.
final class NotificationListener: ReadinessHandler {
    /// After about five seconds.
    private static let reportedFailures = 8

    private let loop: EventLoop
    private let channel: String
    private let settings: ConnectionSettings
    private let fence: PrimaryFence?
    private let timeout: Duration
    private let onListening: () -> Void
    private let onNotification: (String) -> Void
    private let onFailure: (PostgresError) -> Void

    private var connector: Connector?
    private var handle: ConnectionHandle?
    /// That of the server that it is connected to, where that counts.
    private var history: ServerHistory?
    private var registration: Registration?
    private var timer: LoopTimer?
    private var backoff = Backoff()
    private var answersDue = 0
    private var isClosed = false

    /// `onListening` is called for each new connection, `onNotification` for each payload, and `onFailure` once, when
    /// several attempts to connect have failed.
    init(
        channel: String,
        settings: ConnectionSettings,
        fence: PrimaryFence? = nil,
        timeout: Duration,
        on loop: EventLoop,
        onListening: @escaping () -> Void,
        onNotification: @escaping (String) -> Void,
        onFailure: @escaping (PostgresError) -> Void
    ) {
        self.channel = channel
        self.settings = settings
        self.fence = fence
        self.timeout = timeout
        self.loop = loop
        self.onListening = onListening
        self.onNotification = onNotification
        self.onFailure = onFailure
    }

    func start() {
        guard !isClosed, connector == nil, handle == nil else { return }
        connector = Connector(
            settings.rotated(by: backoff.failures),
            isBehindPooler: false,
            fence: fence,
            timeout: timeout,
            on: loop,
            succeed: { [weak self] handle in self?.connected(handle) },
            fail: { [weak self] error in self?.failed(error) }
        )
    }

    func close() {
        isClosed = true
        connector?.cancel()
        connector = nil
        timer?.cancel()
        drop()
    }

    /// Ends the connection to a server that was the primary before, and connects again.
    func leavePrimary(before newest: ServerHistory) {
        guard handle != nil, history?.precedes(newest) == true else { return }
        drop()
        retryLater()
    }

    private func connected(_ handle: consuming ConnectionHandle) {
        history = connector?.history
        connector = nil
        // The channel is ours, from a literal; quoted all the same.
        let listen = ContiguousArray("LISTEN \"\(channel)\"".utf8CString)
        guard handle.sendUnprepared(listen, .none), handle.sync(),
            let registration = try? loop.register(handle.descriptor, .read, self)
        else { return retryLater() }
        self.registration = registration
        self.handle = consume handle
        answersDue = 2
    }

    func ready(_ readiness: Readiness) {
        let isOpen = handle?.consumeInput() ?? false
        takeAnswers()
        // A refusal has ended the connection, and the next one is due already.
        guard handle != nil else { return }
        while let payload = handle?.nextNotification() { onNotification(payload) }
        if !isOpen || handle?.isBad != false {
            drop()
            retryLater()
        }
    }

    /// The result of LISTEN and its end, then the end of the batch. A server that refuses to listen, as a standby does, is
    /// left, as it may be promoted without ending the connection.
    private func takeAnswers() {
        while answersDue > 0, handle?.isBad == false, handle?.isBusy == false {
            switch handle?.nextResponse() {
            case .rows:
                backoff.reset()
                onListening()
            case .end: answersDue -= 1
            case .sync: answersDue -= 1
            case .failed(let error):
                drop()
                return failed(error)
            default: break
            }
        }
    }

    private func failed(_ error: PostgresError) {
        retryLater()
        if backoff.failures == Self.reportedFailures { onFailure(error) }
    }

    private func drop() {
        if let registration { loop.deregister(registration) }
        registration = nil
        handle = nil
        answersDue = 0
    }

    private func retryLater() {
        connector = nil
        guard !isClosed else { return }
        let delay = backoff.next(jitter: Double.random(in: 0...1))
        timer = loop.schedule(after: delay) { [weak self] in self?.start() }
    }
}
