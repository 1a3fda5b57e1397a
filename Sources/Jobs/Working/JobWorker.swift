package import EventLoop
package import Logging
package import Postgres
package import Web
import Synchronization

/// Performs jobs on the event loops of this server, until it is stopped.
///
/// It looks at the queue when somebody has enqueued a job, when the next one is due, when another server's lease may have
/// ended, and every half minute in any case.
package final class JobWorker: Sendable {
    private struct State {
        var board: JobBoard
        var lease: LeaseTimes
        var tasks: [Int: Task<Void, Never>] = [:]
        var grace: Duration = .zero
    }

    private let loops: [EventLoop]
    private let database: Database
    private let settings: JobSettings
    private let logger: Logger
    private let clock: ServerClock
    let registry: JobRegistry
    let queue: JobQueue
    let metrics = JobMetrics()
    private let state: Mutex<State>
    private let runner = Mutex<JobRunner?>(nil)
    private let wake: Wake
    private let busy: Wake
    private let endings: JobEndings
    private let announcer: JobAnnouncer
    private let mustLook = Mark(isSet: true)

    package init(
        _ registry: JobRegistry,
        _ settings: JobSettings,
        database: Database,
        on loops: [EventLoop],
        logger: Logger,
        clock: ServerClock = .system
    ) {
        self.registry = registry
        self.settings = settings
        self.database = database
        self.loops = loops
        self.logger = logger
        self.clock = clock
        let number = Int.random(in: 1...Int.max)
        queue = JobQueue(database: database, worker: number, lease: settings.lease)
        state = Mutex(
            State(board: JobBoard(concurrency: settings.concurrency), lease: LeaseTimes(lease: settings.lease))
        )
        wake = Wake(on: loops[0])
        busy = Wake(on: loops[0])
        endings = JobEndings(queue, Wake(on: loops[0])) { [mustLook, wake] in
            mustLook.set()
            wake.raise()
        }
        announcer = JobAnnouncer(database, worker: number, Wake(on: loops[0]))
    }

    /// To be called when a job was committed: this server looks at once, and the others are told.
    package func announce() {
        look()
        announcer.announce()
    }

    /// Claims no more jobs and returns those that have not started. ``run(_:)`` ends when those that run have ended, or
    /// after `grace`; what runs then is cancelled and returned.
    package func stop(within grace: Duration) {
        let unstarted = state.withLock { state in
            state.grace = grace
            return state.board.stop()
        }
        for job in unstarted { endings.add(job.claim, .returned) }
        wake.raise()
    }

    /// Performs jobs until ``stop(within:)`` or the cancellation of the task. `makeContext` makes the context of one.
    package func run(_ makeContext: @escaping @Sendable (BackgroundWork) -> Context) async {
        runner.withLock {
            $0 = JobRunner(registry: registry, makeContext: makeContext) { [weak self] in
                self?.state.withLock(\.board.isStopping) ?? true
            }
        }
        let isWorking = settings.concurrency > 0 && !registry.isEmpty
        await withTaskExecutorPreference(loops[0]) {
            await withTaskGroup { group in
                group.addTask { await self.announcer.run() }
                group.addTask { await self.watchStrangers() }
                guard isWorking else {
                    while !Task.isCancelled, !self.state.withLock(\.board.isStopping) { await self.wake.wait() }
                    return group.cancelAll()
                }
                group.addTask { await self.endings.run() }
                group.addTask { await self.keepAlive() }
                group.addTask { await self.watchLimits() }
                group.addTask { await self.prune() }
                let ours = announcer.name
                let listening = database.listen(to: JobAnnouncer.channel) { [weak self] payload in
                    if payload != ours { self?.look() }
                }
                await dispatch()
                listening?.close()
                await windDown()
                group.cancelAll()
            }
        }
    }

    private func look() {
        mustLook.set()
        wake.raise()
    }

    // MARK: - Claiming

    private func dispatch() async {
        var ticks = RecurringTicks(registry)
        var floors = ClaimFloors()
        var nextLook: UInt64 = 0
        var failures = 0
        var isFirst = true
        while !Task.isCancelled, !state.withLock(\.board.isStopping) {
            let now = clock.nanoseconds()
            let room = endings.count < 2000 ? state.withLock(\.board.room) : 0
            if room > 0, mustLook.take() || now >= nextLook {
                do throws(PostgresError) {
                    if isFirst { _ = try await queue.rescue(orphansToo: true) }
                    isFirst = false
                    try await ticks.enqueueMissing(queue)
                    nextLook = now &+ (try await look(for: room, &ticks, &floors, sentAt: now)).nanosecondsClamped
                    if failures > 0 { logger.notice("jobs are claimed again") }
                    failures = 0
                } catch {
                    failures += 1
                    if failures == 1 { report(error) }
                    nextLook = now &+ pause(afterFailures: failures, error).nanosecondsClamped
                }
            }
            let later = clock.nanoseconds()
            let limit = nextLook > later ? Duration.nanoseconds(Int64(clamping: nextLook - later)) : .zero
            // Without room, the end of a job wakes it.
            let hasRoom = state.withLock(\.board.room) > 0
            if hasRoom, mustLook.isSet || limit == .zero { continue }
            await wake.wait(atMost: hasRoom ? limit : settings.poll)
        }
    }

    /// Claims jobs and starts them. Returns the time until the next look.
    private func look(
        for room: Int,
        _ ticks: inout RecurringTicks,
        _ floors: inout ClaimFloors,
        sentAt now: UInt64
    ) async throws(PostgresError) -> Duration {
        floors.begin(at: now)
        let batch = try await queue.claim(room, names: registry.names, from: floors)
        floors.note(batch.jobs, isFull: batch.jobs.count >= room)
        if !batch.jobs.isEmpty { start(batch.jobs, sentAt: now) }
        ticks.note(batch)
        if ticks.isMissingAny {
            try await ticks.enqueueMissing(queue)
            return .zero
        }
        if batch.jobs.count >= room { return .zero }
        var pause = min(settings.poll, batch.untilDue ?? settings.poll)
        if let untilDeath = batch.untilDeath {
            if untilDeath <= .zero {
                let count = try await queue.rescue()
                if count > 0 { logger.warning("jobs of a dead server taken over", metadata: ["jobs": "\(count)"]) }
                return count > 0 ? .zero : pause
            }
            pause = min(pause, untilDeath + .milliseconds(20))
        }
        return pause
    }

    private func start(_ jobs: [ClaimedJob], sentAt now: UInt64) {
        let (lanes, unwanted) = state.withLock { state -> ([Int], [ClaimedJob]) in
            state.lease.renew(sentAt: now)
            guard !state.board.isStopping else { return ([], jobs) }
            return (state.board.add(jobs), [])
        }
        for job in unwanted { endings.add(job.claim, .returned) }
        for lane in lanes {
            let task = Task(executorPreference: loops[lane % loops.count]) { await self.serve(lane) }
            state.withLock { state in
                // It may have ended already.
                if state.board.lanes[lane] != nil { state.tasks[lane] = task }
            }
        }
        busy.raise()
    }

    private func report(_ error: PostgresError) {
        if [.undefinedTable, SQLState(rawValue: "3F000")].contains(error.state) {
            logger.warning("no job runs: the queue's tables are missing, run swiftlet migrate")
        } else {
            logger.warning("jobs cannot be claimed", metadata: ["cause": "\(error)"])
        }
    }

    private func pause(afterFailures failures: Int, _ error: PostgresError) -> Duration {
        if error.kind == .server { return min(settings.poll, .seconds(failures)) }
        return .milliseconds(min(1000, 25 << min(failures, 6)) + Int.random(in: 0...50))
    }

    // MARK: - Running

    /// Runs one job after another, as long as there are some.
    private func serve(_ lane: Int) async {
        guard let runner = runner.withLock(\.self) else { return }
        let turns = LoopTurns(loops[lane % loops.count])
        while true {
            let job = state.withLock { state in
                let job = state.board.take(lane, at: clock.nanoseconds())
                if job == nil { state.tasks[lane] = nil }
                return job
            }
            guard let job else { break }
            let start = clock.nanoseconds()
            let outcome = await runner.run(job)
            let now = clock.nanoseconds()
            let (isOurs, hasRoom) = state.withLock { ($0.board.end(lane, at: now), $0.board.room > 0) }
            guard isOurs else { return }
            finish(job, outcome, nanoseconds: now &- start)
            if hasRoom { wake.raise() }
            await turns.count()
        }
        wake.raise()
    }

    private func finish(_ job: ClaimedJob, _ outcome: JobOutcome, nanoseconds: UInt64) {
        endings.add(job.claim, outcome)
        metrics.add(job.name, outcome, nanoseconds: nanoseconds)
        // It may wait again.
        if case .lost = outcome { look() }
        let level: Logger.Level = if case .failed = outcome { .error } else { .info }
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "job": "\(job.name)", "job_id": "\(job.claim.id)", "outcome": "\(outcome.word)",
            "attempt": "\(job.attempt)", "duration_us": "\(nanoseconds / 1000)", "late_ms": "\(job.lateMilliseconds)",
        ]
        if let requestID = job.requestID { metadata["request_id"] = "\(requestID)" }
        if let tenant = job.caller.tenant { metadata["tenant"] = "\(tenant)" }
        if let error = outcome.error { metadata["error"] = "\(error)" }
        logger.log(level: level, "job", metadata: metadata)
    }

    private static let limitInterval = Duration.milliseconds(200)

    /// Cancels jobs that take too long. One that goes on regardless is left alone: its claim is no longer worth anything.
    private func watchLimits() async {
        while !Task.isCancelled {
            guard state.withLock({ !$0.board.lanes.isEmpty }) else {
                await busy.wait()
                continue
            }
            try? await Task.sleep(for: Self.limitInterval)
            let overdue = state.withLock { state in
                state.board.giveUpOverdue(at: clock.nanoseconds()) { registry[$0.name]?.policy.limit ?? .seconds(60) }
            }
            for (lane, job) in overdue {
                cancel(lane)
                let policy = registry[job.name]?.policy ?? RetryPolicy()
                let error = JobOverdue(limit: policy.limit)
                let outcome = JobOutcome(error, of: job, policy, jitter: Double.random(in: 0...1))
                finish(job, outcome, nanoseconds: UInt64(policy.limit.seconds * 1e9))
            }
            guard !overdue.isEmpty else { continue }
            start([], sentAt: 0)
            look()
        }
    }

    private func cancel(_ lane: Int) { state.withLock { $0.tasks.removeValue(forKey: lane) }?.cancel() }

    // MARK: - Staying alive

    private func keepAlive() async {
        let interval = settings.lease / 10
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            let now = clock.nanoseconds()
            let isHolding = state.withLock { !$0.board.isIdle } || endings.count > 0
            guard isHolding, state.withLock({ $0.lease.mustBeat(at: now) }) else { continue }
            do throws(PostgresError) {
                if try await queue.beat() {
                    state.withLock { $0.lease.renew(sentAt: now) }
                } else {
                    giveUp()
                }
            } catch {
                if state.withLock({ $0.lease.hasEnded(at: clock.nanoseconds()) }) { giveUp() }
            }
        }
    }

    /// Others have taken over what this server held, or may have.
    private func giveUp() {
        let running = state.withLock { $0.board.giveUpAll() }
        guard !running.isEmpty else { return }
        logger.warning("the lease of jobs has ended", metadata: ["jobs": "\(running.count)"])
        for (lane, job) in running {
            cancel(lane)
            metrics.add(job.name, .lost, nanoseconds: 0)
        }
        look()
    }

    // MARK: - Strangers

    private static let strangersInterval = Duration.seconds(3600)

    /// Says at the start, and each hour, which jobs wait for a function that no server has any more.
    private func watchStrangers() async {
        while !Task.isCancelled {
            do throws(PostgresError) {
                let strangers = try await queue.strangers(to: registry.names)
                if !strangers.isEmpty {
                    let jobs = strangers.joined(separator: ", ")
                    logger.warning(
                        "jobs wait that no function declares: cancel them, or deploy the function",
                        metadata: ["jobs": "\(jobs)"]
                    )
                }
                try? await Task.sleep(for: Self.strangersInterval)
            } catch {
                // The dispatch reports what is wrong with the database.
                try? await Task.sleep(for: settings.poll)
            }
        }
    }

    // MARK: - Pruning

    private static let pruneInterval = Duration.seconds(60)
    private static let pruneBatch = 1000

    /// Forgets old history in small batches, while this server is at work.
    private func prune() async {
        var known = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pruneInterval)
            let attempts = metrics.snapshot.reduce(0) { $0 + $1.count.attempts }
            guard attempts != known, !Task.isCancelled else { continue }
            known = attempts
            for (word, age) in [
                ("done", settings.keepsDone), ("cancelled", settings.keepsDone), ("failed", settings.keepsFailed),
            ] {
                while !Task.isCancelled,
                    let count = try? await queue.prune(word, olderThan: age, Self.pruneBatch), count == Self.pruneBatch
                {}
            }
        }
    }

    // MARK: - Stopping

    private func windDown() async {
        let end = ContinuousClock.now + state.withLock(\.grace)
        while state.withLock({ !$0.board.lanes.isEmpty }), ContinuousClock.now < end, !Task.isCancelled {
            await wake.wait(atMost: .milliseconds(50))
        }
        let running = state.withLock { $0.board.giveUpAll() }
        for (lane, job) in running {
            cancel(lane)
            endings.add(job.claim, .returned)
        }
        if !running.isEmpty { logger.warning("jobs returned at the stop", metadata: ["jobs": "\(running.count)"]) }
        for _ in 0..<20 where await !endings.flush() { try? await Task.sleep(for: .milliseconds(50)) }
        try? await queue.leave()
        announcer.announce()
    }
}

/// An attempt that took too long.
struct JobOverdue: Error, CustomStringConvertible {
    let limit: Duration
    var description: String { "it took longer than its limit of \(limit)" }
}

extension Duration {
    fileprivate var nanosecondsClamped: UInt64 { UInt64(max(0, min(seconds, 1e9)) * 1e9) }
}
