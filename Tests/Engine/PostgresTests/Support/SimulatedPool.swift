import SwiftletEventLoop

@testable import SwiftletPostgres

/// A pool's decisions before a simulated server, under a clock that moves at once. Each connection runs what it gets in
/// order, and each call takes as long as the test says, wherever it runs.
final class SimulatedPool {
    private static let last = Statement("SELECT 2", isReadOnly: true)
    static let roundTrip = Duration.microseconds(100)

    private(set) var now = LoopInstant(nanoseconds: 3_600_000_000_000)
    private(set) var events: [DatabaseEvent] = []
    /// Which connection each transaction has got, in order.
    private(set) var granted: [(lease: Lease, connection: Int)] = []
    private(set) var refused: [Lease] = []
    /// Whether new connections are answered, on which the server is asked for a sign of life.
    var answersProbes = true
    /// Calls that wait for a lock, which nobody gives back.
    var isLocked: (PendingQuery) -> Bool = { _ in false }
    private var state: PoolState
    private var connections: [SimulatedConnection]
    private let known = PreparedNames()
    private let lockTimeout: Duration
    private var durations: [ObjectIdentifier: (call: PendingQuery, duration: Duration)] = [:]
    private var timers: [(due: LoopInstant, action: () -> Void)] = []
    private var nextLook = LoopInstant.distantPast
    private var probeHeardAt = LoopInstant.distantPast

    init(connections: Int, _ configure: (inout DatabaseConfiguration) -> Void = { _ in }) {
        var configuration = DatabaseConfiguration(url: "", connections: connections)
        configure(&configuration)
        lockTimeout = configuration.lockTimeout
        state = PoolState(configuration: configuration, connections: connections, known: known, loop: 0)
        self.connections = (0..<connections).map { _ in SimulatedConnection() }
        state.started(at: now)
        for index in 0..<connections {
            self.connections[index].probe(at: now)
            state.connectionIsUp(index, self.connections[index].status, at: now)
        }
        perform()
        run(for: .milliseconds(20))
    }

    var statistics: DatabaseStatistics { state.statistics }

    // MARK: - Calls

    /// What is asked before the clock moves is sent in one turn of the loop.
    @discardableResult
    func ask(
        _ statement: Statement,
        taking duration: Duration = .microseconds(50),
        as guest: Guest? = nil,
        then: @escaping (PostgresError?) -> Void = { _ in }
    ) -> PendingQuery {
        let deadline = now + state.configuration.queryTimeout
        let pending = PendingQuery(
            statement,
            .none,
            others: guest == nil ? [] : [PendingQuery.Part(statement: Self.last, parameters: .none)],
            guest: guest,
            deadline: deadline
        )
        durations[ObjectIdentifier(pending)] = (pending, duration)
        pending.caller = .action { [self] pending in
            durations[ObjectIdentifier(pending)] = nil
            then(pending.error)
        }
        state.submit(pending, at: now)
        perform()
        return pending
    }

    /// Asks one after another until the pool knows how long it takes.
    func warmUp(_ statement: Statement, taking duration: Duration = .microseconds(50)) {
        for _ in 0..<40 {
            ask(statement, taking: duration)
            run(for: duration + .milliseconds(1))
        }
    }

    /// For so long, a number of callers ask again as soon as they are answered. The longest of their waits, and how many
    /// have been answered.
    func keepAsking(
        _ statement: Statement,
        taking duration: Duration = .microseconds(50),
        callers: Int = 16,
        for time: Duration
    ) -> (longest: Duration, answers: Int) {
        let end = now + time
        var longest = Duration.zero
        var answers = 0
        var asked: [Int: LoopInstant] = [:]
        func call(_ caller: Int) {
            guard now < end else { return }
            let start = now
            asked[caller] = start
            ask(statement, taking: duration) { [self] error in
                asked[caller] = nil
                longest = max(longest, now - start)
                if error == nil { answers += 1 }
                timers.append((now + .microseconds(5), { call(caller) }))
            }
        }
        for caller in 0..<callers { call(caller) }
        run(for: time)
        return (asked.values.reduce(longest) { max($0, now - $1) }, answers)
    }

    /// Asks for a connection of its own, as a transaction does.
    func lease() -> Lease {
        let lease = Lease(.transaction, isSlow: false, waitDeadline: now + state.configuration.waitTimeout)
        state.request(lease, at: now)
        perform()
        return lease
    }

    func endLease(_ lease: Lease) {
        guard let index = state.connection(of: lease) else { return }
        state.endLease(on: index, connections[index].status, at: now)
        perform()
    }

    func abandon(_ pending: PendingQuery) {
        state.abandon(pending, .cancelled, connections.map(\.snapshot))
        perform()
    }

    // MARK: - The clock

    func run(for duration: Duration) {
        let end = now + duration
        endTurn()
        while let next = nextMoment, next <= end {
            now = max(now, next)
            for index in connections.indices where connections[index].answersAt <= now { answer(index) }
            for timer in dueTimers() { timer() }
            if nextLook <= now { look() }
            endTurn()
        }
        now = end
    }

    private var nextMoment: LoopInstant? {
        if nextLook <= now, isBusy { nextLook = now + .milliseconds(10) }
        let answers = connections.map(\.answersAt).min() ?? .distantFuture
        let timer = timers.map(\.due).min() ?? .distantFuture
        let next = min(answers, timer, isBusy ? nextLook : .distantFuture)
        return next == .distantFuture ? nil : next
    }

    private var isBusy: Bool { state.isWaiting || connections.contains { !$0.ring.isEmpty } }

    private func dueTimers() -> [() -> Void] {
        let due = timers.filter { $0.due <= now }.map(\.action)
        timers.removeAll { $0.due <= now }
        return due
    }

    private func look() {
        nextLook = now + .milliseconds(10)
        state.look(connections.map(\.snapshot), probeHeardAt: probeHeardAt, at: now)
        perform()
    }

    private func endTurn() {
        for index in connections.indices {
            connections[index].endTurn(at: now)
            connections[index].begin(at: now) { [self] call in
                if isLocked(call) { return (lockTimeout, .lockTimeout) }
                return (durations[ObjectIdentifier(call)]?.duration ?? .zero, nil)
            }
        }
    }

    private func answer(_ index: Int) {
        var repeated: [(call: PendingQuery, asSlow: Bool)] = []
        connections[index].answer(at: now, recordIn: known) { repeated.append(($0, $1)) }
        for (call, asSlow) in repeated {
            if asSlow { state.retryAsSlow(call, at: now) } else { state.retry(call, at: now) }
        }
        state.progressed(index, connections[index].status, at: now)
        perform()
    }

    // MARK: - Actions

    private func perform() {
        while let action = state.nextAction() { perform(action) }
    }

    private func perform(_ action: PoolState.Action) {
        switch action {
        case .send(let pending, let index, let alone): connections[index].send(pending, alone: alone, at: now)
        case .finish(let pending, let error): pending.finish(error)
        case .grant(let lease, let index): if lease.query == nil { granted.append((lease, index)) }
        case .refuse(let lease, let error):
            lease.refuse(error)
            if lease.query == nil { refused.append(lease) }
        case .release: break
        case .cancel(let index): timers.append((now + .milliseconds(1), { [self] in cancel(index) }))
        case .endCancellingBehindLock(let index): connections[index].isCancellingBehindLock = false
        case .close(let index, let reason), .abort(let index, let reason): lose(index, reason)
        case .probe(let index): connections[index].probe(at: now)
        case .probeServer:
            guard answersProbes else { return }
            timers.append((now + .milliseconds(5), { [self] in probeHeardAt = now }))
        case .welcomeServer: break
        case .report(let event): events.append(event)
        }
    }

    private func cancel(_ index: Int) {
        connections[index].cancel(at: now)
        state.cancelReturned(index, connections[index].status)
        if connections[index].answersAt <= now { answer(index) }
        state.cancelHasArrived(index)
        state.progressed(index, connections[index].status, at: now)
        perform()
    }

    private func lose(_ index: Int, _ reason: String) {
        let calls = connections[index].ring.compactMap(\.live)
        connections[index] = SimulatedConnection()
        state.connectionDied(index, ConnectionLoss(queries: calls, reason: reason), at: now)
    }
}
