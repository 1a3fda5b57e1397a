import SwiftletEventLoop

/// One attempt to connect, from resolving the host names to an established connection. Belongs to its loop's thread.
///
/// A pooler takes connections whether its server answers or not, so behind one the server has to answer a query, too.
/// With a ``PrimaryFence`` it has to say when it was promoted.
final class Connector: ReadinessHandler {
    typealias Completion = (consuming ConnectionHandle) -> Void

    /// A host that has not taken the connection by then is passed over. TCP repeats a lost first packet after a second.
    private static let reachLimit = Duration.seconds(2)

    private let loop: EventLoop
    private let isBehindPooler: Bool
    private let isPipelined: Bool
    private let fence: PrimaryFence?
    /// Of a primary that the fence has admitted.
    private(set) var history: ServerHistory?
    private var settings = ConnectionSettings([:])
    private var handle: ConnectionHandle?
    private var registration: Registration?
    private var timer: LoopTimer?
    private var reachTimer: LoopTimer?
    /// When the server first sent something, if only a refusal.
    private(set) var answeredAt: LoopInstant?
    /// The connection is established, and the query sent.
    private var isAsking = false
    private var succeed: Completion?
    private var fail: ((PostgresError) -> Void)?

    /// Starts at once. Unless the attempt is cancelled, exactly one of the closures is called,
    /// on the loop and not before this returns.
    init(
        _ settings: ConnectionSettings,
        isBehindPooler: Bool,
        isPipelined: Bool = true,
        fence: PrimaryFence? = nil,
        timeout: Duration,
        on loop: EventLoop,
        succeed: @escaping Completion,
        fail: @escaping (PostgresError) -> Void
    ) {
        self.isBehindPooler = isBehindPooler
        self.isPipelined = isPipelined
        self.fence = fence
        self.loop = loop
        self.succeed = succeed
        self.fail = fail
        timer = loop.schedule(after: timeout) { [weak self] in self?.finish(.connectTimeout) }
        let attempt = LoopBound(self, on: loop)
        if HostResolver.isNeeded(for: settings) {
            HostResolver.resolve(settings) { found in
                loop.execute { attempt.value.begin(found) }
            }
        } else {
            loop.execute { attempt.value.begin(settings) }
        }
    }

    func cancel() {
        succeed = nil
        fail = nil
        finish(nil)
    }

    private func begin(_ settings: ConnectionSettings?) {
        guard fail != nil else { return }
        guard let settings else { return finish(.unknownHost) }
        self.settings = settings
        do throws(PostgresError) {
            handle = try ConnectionHandle.start(settings)
        } catch {
            return finish(error)
        }
        watch(.write)
    }

    func ready(_ readiness: Readiness) {
        if answeredAt == nil, readiness.contains(.read), !readiness.contains(.error) { answeredAt = loop.now }
        // libpq may close the socket and open another with the same number, so each step registers it again.
        unregister()
        if isAsking { return takeAnswer() }
        switch handle?.poll() {
        case nil: break
        case .waitForRead: watch(.read)
        case .waitForWrite: watch(.write)
        case .connected: established()
        case .failed: finish(handle?.takeConnectionError())
        }
    }

    private func established() {
        guard handle?.enterMode(isPipelined: isPipelined) == true else { return finish(handle?.takeConnectionError()) }
        guard isBehindPooler || fence != nil else { return complete() }
        guard isPipelined ? ask() : handle?.sendSimple(ServerHistory.query) == true else {
            return finish(handle?.takeConnectionError())
        }
        isAsking = true
        watch(.read)
    }

    private func ask() -> Bool {
        let isSent = isBehindPooler ? handle?.sendProbe() : handle?.sendUnprepared(ServerHistory.cQuery, .none)
        return isSent == true && handle?.sync() == true
    }

    private func takeAnswer() {
        guard handle?.consumeInput() == true else { return finish(handle?.takeConnectionError()) }
        if isPipelined { takeBatch() } else { takeSimpleAnswer() }
    }

    /// The query's row, its end, and the end of the batch.
    private func takeBatch() {
        while handle?.isBusy == false {
            switch handle?.nextResponse() {
            case .sync: return decide()
            // Not every server says: then there is nothing to compare.
            case .failed(let error): if fence == nil || isBehindPooler { return finish(error) }
            case .rows(let rows):
                history = CopiedResult.rows(of: rows).first?["history"].flatMap { ServerHistory($0) }
            case .fatal(let error): return finish(error)
            default: if handle?.isBad != false { return finish(handle?.takeConnectionError()) }
            }
        }
        watch(.read)
    }

    /// The row, and the end.
    private func takeSimpleAnswer() {
        while handle?.isBusy == false {
            switch handle?.nextSimpleResponse() {
            case .rows(let rows): history = rows.first?.first?.flatMap { ServerHistory($0) }
            case .failed, .copyBoth: if handle?.isBad != false { return finish(handle?.takeConnectionError()) }
            case .end, nil: return decide()
            }
        }
        watch(.read)
    }

    private func decide() {
        guard let history, let fence, !fence.admits(history) else { return complete() }
        passOver(.formerPrimary)
    }

    private func complete() {
        guard let handle = handle.take() else { return }
        let succeed = succeed
        cleanUp()
        succeed?(handle)
    }

    private func watch(_ interest: Interest) {
        guard let descriptor = handle?.descriptor, descriptor >= 0 else { return finish(handle?.takeConnectionError()) }
        registration = try? loop.register(descriptor, interest, self)
        if registration == nil { return finish(.noDescriptor) }
        reachTimer?.cancel()
        guard handle?.isReaching == true else { return }
        reachTimer = loop.schedule(after: Self.reachLimit) { [weak self] in self?.passOver(.unreachable) }
    }

    /// Goes on with the hosts behind one that does not answer, for which libpq itself would wait as long as TCP does, or
    /// is not wanted.
    private func passOver(_ error: PostgresError) {
        guard let server = handle?.server else { return }
        unregister()
        handle = nil
        isAsking = false
        history = nil
        guard let rest = settings.following(server) else { return finish(error) }
        begin(rest)
    }

    private func unregister() {
        if let registration { loop.deregister(registration) }
        registration = nil
    }

    private func finish(_ error: PostgresError?) {
        let fail = fail
        cleanUp()
        handle = nil
        if let error { fail?(error) }
    }

    private func cleanUp() {
        unregister()
        timer?.cancel()
        timer = nil
        reachTimer?.cancel()
        succeed = nil
        fail = nil
    }
}

extension PostgresError {
    fileprivate static let connectTimeout = connectionFailure("connecting took too long")
    fileprivate static let unreachable = connectionFailure(
        "no host takes the connection: its machine or the network is down"
    )
    fileprivate static let formerPrimary = connectionFailure(
        "the host was the primary before another one was promoted, and does not know it yet"
    )
    fileprivate static let unknownHost = connectionFailure("no address was found for the database's host")
    fileprivate static let noDescriptor = connectionFailure("the connection's socket could not be watched")
}
