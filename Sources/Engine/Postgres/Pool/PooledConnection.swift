import SwiftletEventLoop
import SwiftletBlockingPool

/// One of a pool's connections, connected again whenever it is lost. Belongs to its loop's thread.
final class PooledConnection {
    /// A request to cancel is a connection of its own, which libpq makes while it blocks.
    private static let cancelling = BlockingPool("cancels", width: 16)

    enum Report {
        case isUp
        case hasFailed(PostgresError)
        /// The server has taken a request to cancel what runs.
        case cancelReturned
        /// The connection may be an earlier one, which has died.
        case connection(Connection, ConnectionReport)
    }

    let index: Int
    private let loop: EventLoop
    private let configuration: DatabaseConfiguration
    private let known: PreparedNames
    private let settings: ConnectionSettings
    private let fence: PrimaryFence?
    /// That of the server that it is connected to, where that counts.
    private(set) var history: ServerHistory?
    /// nil once this is closed, which breaks the retain cycle.
    private var report: ((PooledConnection, Report) -> Void)?
    private(set) var connection: Connection?
    private var connector: Connector?
    private var timer: LoopTimer?
    private var backoff = Backoff()
    private var isClosed = false

    init(
        index: Int,
        loop: EventLoop,
        configuration: DatabaseConfiguration,
        known: PreparedNames,
        settings: ConnectionSettings,
        fence: PrimaryFence?,
        report: @escaping (PooledConnection, Report) -> Void
    ) {
        self.index = index
        self.loop = loop
        self.configuration = configuration
        self.known = known
        self.settings = settings
        self.fence = fence
        self.report = report
    }

    func connect() {
        guard !isClosed, connection == nil, connector == nil else { return }
        timer?.cancel()
        timer = nil
        connector = Connector(
            nextSettings,
            isBehindPooler: configuration.isBehindPooler,
            fence: fence,
            timeout: configuration.connectTimeout,
            on: loop,
            succeed: { [weak self] handle in self?.connected(handle) },
            fail: { [weak self] error in self?.failed(error) }
        )
    }

    /// After failures the hosts take turns at being first, not the same for all connections: each host is asked by one of them,
    /// whoever else still waits for a dead one.
    private var nextSettings: ConnectionSettings {
        settings.rotated(by: backoff.failures == 0 ? 0 : backoff.failures + index)
    }

    private func connected(_ handle: consuming ConnectionHandle) {
        history = connector?.history
        connector = nil
        guard let report else { return }
        let connection = Connection(
            adopting: handle,
            on: loop,
            isPrepared: configuration.isPrepared,
            known: known
        ) { [self] connection, event in report(self, .connection(connection, event)) }
        guard connection.open() else { return retryLater() }
        backoff.reset()
        self.connection = connection
        report(self, .isUp)
    }

    private func failed(_ error: PostgresError) {
        connector = nil
        retryLater()
        report?(self, .hasFailed(error))
    }

    /// The connection broke.
    func lost() {
        connection = nil
        retryLater()
    }

    /// Connects without waiting for the timer, as the server has been seen up.
    func connectNow() {
        if timer != nil { connect() }
    }

    private func retryLater() {
        guard !isClosed else { return }
        let delay = backoff.next(jitter: Double.random(in: 0...1))
        timer = loop.schedule(after: delay) { [weak self] in
            self?.timer = nil
            self?.connect()
        }
    }

    /// Asks the server to cancel what runs here. A connection that cannot send dies a moment later.
    func cancelRunning() {
        guard let connection, connection.canSend else { return }
        guard let canceller = connection.makeCanceller() else {
            return connection.die("the query cannot be cancelled")
        }
        let call = LoopBound((self, connection), on: loop)
        Self.cancelling.begin {
            canceller.cancelBlocking()
            call.loop.execute {
                let (pooled, connection) = call.value
                pooled.cancelReturned(connection)
            }
        }
    }

    /// The signal may still be on its way to the server's process: one round trip later it has arrived.
    private func cancelReturned(_ asked: Connection) {
        guard connection === asked else { return }
        asked.confirmCancel()
        report?(self, .cancelReturned)
    }

    func close() {
        isClosed = true
        timer?.cancel()
        timer = nil
        connector?.cancel()
        connector = nil
        connection?.die("closed")
        report = nil
    }
}
