package import Logging
package import SwiftletPostgres
import Synchronization

/// Gives the changes in the log to the subscribers of this server, each in order and once.
package final class ChangeHub: Sendable {
    private struct State {
        /// All before it has been given to those that are live; nil until the log is read.
        var position: ChangePosition?
        /// The log was looked at, and is nobody's yet.
        var isLogEmpty = false
        var subscribers: [ObjectIdentifier: ChangeSubscriber] = [:]
        var delivered = 0
        var resets = 0
    }

    private let log: ChangeLog
    private let evaluator: ChangeEvaluator
    private let binder: RequestBinder
    private let logger: Logger
    private let database: Database
    private let state = Mutex(State())
    private let pokes: AsyncStream<Void>
    private let poke: AsyncStream<Void>.Continuation
    private let readers: AsyncStream<ChangeSubscriber>
    private let reader: AsyncStream<ChangeSubscriber>.Continuation
    private let notified = Mutex<(@Sendable () -> Void)?>(nil)
    private let expectation = Mutex<(@Sendable () -> Bool)?>(nil)
    private let patience: Duration

    /// Who subscribes before the log is read waits for so long.
    package init(database: Database, logger: Logger, patience: Duration = .seconds(5)) {
        self.database = database
        self.patience = patience
        self.logger = logger
        log = ChangeLog(database: database)
        let catalog = VisibleTables(database)
        let visibility = VisibilityQuery(
            database,
            onFault: { table, error in
                logger.warning(
                    "a policy failed: its rows are not told",
                    metadata: ["table": "\(table)", "sqlstate": "\(error.state.rawValue)"]
                )
            },
            onDifference: { table in
                logger.error(
                    "a compiled policy differs from PostgreSQL, which is asked",
                    metadata: ["table": "\(table)"]
                )
            }
        )
        evaluator = ChangeEvaluator(catalog: catalog, visibility: visibility)
        binder = RequestBinder(database: database, catalog: catalog)
        (pokes, poke) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (readers, reader) = AsyncStream.makeStream()
    }

    /// To be called when the log may have more.
    package func look() { poke.yield() }

    /// Calls back when another server, or an operator, says that there may be something to do.
    func onNotification(_ action: @escaping @Sendable () -> Void) { notified.withLock { $0 = action } }

    /// Asks whether this server reads changes, or waits for its turn. Without an answer, other servers may read.
    func expectReading(_ isExpected: @escaping @Sendable () -> Bool) { expectation.withLock { $0 = isExpected } }

    /// How many subscribers there are, changes have been delivered, and resets were told.
    package var counts: (subscribers: Int, delivered: Int, resets: Int) {
        state.withLock { ($0.subscribers.count, $0.delivered, $0.resets) }
    }

    /// Distinct roles and claims of the subscribers: policies are asked once for each.
    package var claimSetCount: Int { Set(state.withLock { $0.subscribers.values.map(\.caller) }).count }

    /// Rows whose policies were decided on here, and by PostgreSQL.
    package var policyCounts: (decided: Int, asked: Int) { evaluator.visibility.counts }

    /// The position behind which all is told; nil until the log was read.
    package var position: ChangePosition? { state.withLock(\.position) }

    // MARK: - Subscribing

    /// Delivers what matches the requests and the caller may see: all behind `position`, or else all that is committed
    /// from now on. Throws ``ChangeRequestError``, ``ChangeCursorError`` or `PostgresError`.
    ///
    /// `deliver` returns whether it has taken what it got, see ``ChangeSubscriber/resume()``.
    package func subscribe(
        to requests: [ChangeRequest],
        as caller: ChangeCaller,
        after position: ChangePosition? = nil,
        deliver: @escaping @Sendable (ChangeDelivery) -> Bool
    ) async throws -> ChangeSubscriber {
        let bound = try await binder.bind(requests, for: caller)
        let start = try await start(after: position)
        let subscriber = ChangeSubscriber(bound, caller: caller, at: start, deliver: deliver) { [reader] subscriber in
            reader.yield(subscriber)
        }
        let isLive = state.withLock { state in
            state.subscribers[ObjectIdentifier(subscriber)] = subscriber
            // The hub may have gone on since.
            let isLive = position == nil || start >= state.position ?? start
            if position == nil, let current = state.position { subscriber.passLogged(to: current) }
            subscriber.begin(live: isLive)
            return isLive
        }
        if !isLive { subscriber.resume() }
        return subscriber
    }

    package func remove(_ subscriber: ChangeSubscriber) {
        subscriber.close()
        state.withLock { $0.subscribers[ObjectIdentifier(subscriber)] = nil }
    }

    private func start(after position: ChangePosition?) async throws -> ChangePosition {
        guard let position else { return try await currentPosition() }
        let current = try await log.state()
        guard let floor = current.floor, position.epoch == floor.epoch, position >= floor else {
            throw ChangeCursorError.expired
        }
        // Nobody was given a position that is still to come, but by a primary whose last changes did not get here.
        guard position <= current.last else { throw ChangeCursorError.expired }
        return position
    }

    private func currentPosition() async throws -> ChangePosition {
        let end = ContinuousClock.now + patience
        while true {
            if let position { return position }
            guard ContinuousClock.now < end else { throw isExpected ? ChangeCursorError.unread : .unavailable }
            look()
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Whether the log will be read before long.
    private var isExpected: Bool {
        expectation.withLock(\.self)?() ?? !state.withLock(\.isLogEmpty)
    }

    // MARK: - Running

    /// Works until the task is cancelled.
    package func run() async {
        let listening = database.listen(to: ChangeLog.channel) { [weak self] _ in
            self?.look()
            self?.notified.withLock { $0 }?()
        }
        await withTaskGroup { group in
            group.addTask { await self.follow() }
            group.addTask {
                await withDiscardingTaskGroup { group in
                    for await subscriber in self.readers { group.addTask { await self.read(for: subscriber) } }
                    group.cancelAll()
                }
            }
            // A notification that was lost, as that of a server that died behind its commit.
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(30))
                    self.look()
                }
            }
        }
        listening?.close()
    }

    private func follow() async {
        var failures = 0
        look()
        for await _ in pokes {
            if Task.isCancelled { return }
            do throws(PostgresError) {
                while try await advance() {}
                failures = 0
            } catch {
                failures += 1
                if failures == 1, !Task.isCancelled {
                    logger.warning("changes are not told", metadata: ["cause": "\(error.message)"])
                }
                try? await Task.sleep(for: .milliseconds(min(2000, 50 << min(failures, 5))))
                look()
            }
        }
    }

    /// Delivers the next page; true when there may be more.
    private func advance() async throws(PostgresError) -> Bool {
        guard let position else {
            let current = try await log.state()
            // Before the first slot there is nothing to be behind of.
            state.withLock { $0.isLogEmpty = current.floor == nil }
            guard current.floor != nil else { return false }
            goOn(to: current.last)
            return false
        }
        guard state.withLock({ !$0.subscribers.isEmpty }) else {
            // Nobody listens. Who begins to meanwhile, and lacks some of it, reads the log.
            let current = try await log.state()
            if isKept(position, current), current.last > position { goOn(to: current.last) }
            return false
        }
        let page = try await log.page(after: position)
        guard isKept(position, page.state) else { return page.state.floor != nil }
        guard let last = page.changes.last?.position else { return false }
        let receivers = state.withLock { $0.subscribers.values.compactMap { Self.receiver($0) } }
        let deliveries = try await evaluator.deliveries(of: page.changes, to: receivers)
        var count = 0
        for (receiver, deliveries) in zip(receivers, deliveries) {
            receiver.subscriber.deliverLive(deliveries, through: last, since: receiver.mark)
            count += deliveries.count
        }
        goOn(to: last, having: count)
        return page.isFull
    }

    /// False, and all are told, where the log does not hold what follows the position.
    private func isKept(_ position: ChangePosition, _ log: ChangeLog.State) -> Bool {
        guard let floor = log.floor else { return false }
        guard floor.epoch == position.epoch, floor <= position else {
            reset(to: log.last)
            return false
        }
        return true
    }

    /// All up to here is told. Who went live meanwhile, and lacks some of it, reads the log.
    private func goOn(to position: ChangePosition, having delivered: Int = 0) {
        let subscribers = state.withLock { state in
            state.position = position
            state.delivered += delivered
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers {
            if let mark = subscriber.liveMark, mark.position < position { subscriber.fallBehind() }
        }
    }

    private static func receiver(_ subscriber: ChangeSubscriber) -> ChangeEvaluator.Receiver? {
        guard let mark = subscriber.liveMark else { return nil }
        return ChangeEvaluator.Receiver(subscriber: subscriber, caller: subscriber.caller, mark: mark)
    }

    private func reset(to position: ChangePosition) {
        let receivers = state.withLock { state in
            state.position = position
            state.resets += 1
            return state.subscribers.values.compactMap { Self.receiver($0) }
        }
        logger.warning("changes were lost: clients are told to read anew")
        for receiver in receivers {
            receiver.subscriber.deliverLive([.reset(position)], through: position, since: receiver.mark)
        }
    }

    /// Reads the log for one subscriber until it is live or has no room.
    private func read(for subscriber: ChangeSubscriber) async {
        var failures = 0
        while !Task.isCancelled {
            do throws(PostgresError) {
                if try await readPage(for: subscriber) { return }
                failures = 0
            } catch {
                failures += 1
                if subscriber.isClosed { return }
                try? await Task.sleep(for: .milliseconds(min(2000, 50 << min(failures, 5))))
            }
        }
    }

    /// True when it is done.
    private func readPage(for subscriber: ChangeSubscriber) async throws(PostgresError) -> Bool {
        let start = subscriber.position
        let page = try await log.page(after: start)
        guard let floor = page.state.floor, floor.epoch == start.epoch, floor <= start else {
            guard page.state.floor != nil else { throw .connectionFailure }
            return !subscriber.deliverLogged(.reset(page.state.last))
        }
        let mark = ChangeSubscriber.LiveMark(generation: 0, position: start)
        let receiver = ChangeEvaluator.Receiver(subscriber: subscriber, caller: subscriber.caller, mark: mark)
        let deliveries = try await evaluator.deliveries(of: page.changes, to: [receiver])
        for delivery in deliveries.first ?? [] {
            guard subscriber.deliverLogged(delivery) else { return true }
        }
        if let last = page.changes.last?.position { subscriber.passLogged(to: last) }
        if page.isFull { return false }
        return state.withLock { state in subscriber.catchUp(with: state.position ?? subscriber.position) }
    }
}

/// Why nothing can be told from a position on.
package enum ChangeCursorError: Error, Equatable, Sendable {
    case invalid
    /// The log does not reach back so far, or its slot was lost: rows must be read anew.
    case expired
    /// Nothing is read yet, but will be.
    case unread
    /// Nobody reads changes.
    case unavailable
}
