package import SwiftletEventLoop
package import Logging
package import SwiftletPostgres
package import SwiftletWeb
import Synchronization

/// Performs jobs on the event loops of this server, until it is stopped.
///
/// It looks at the queue when somebody has enqueued a job, when the next one is due, when another server's lease may have
/// ended, and every half minute in any case.
package final class JobWorker: Sendable {
    private struct State {
        var jobs: JobState
        var lease: LeaseTimes
        var doubts = UnconfirmedClaims()
        var tasks: [Int: Task<Void, Never>] = [:]
        var grace: Duration = .zero
    }

    private let loops: [EventLoop]
    private let database: Database
    let settings: JobSettings
    let logger: Logger
    private let clock: ServerClock
    let registry: JobRegistry
    let queue: JobQueue
    let metrics = JobMetrics()
    private let state: Mutex<State>
    private let runner = Mutex<JobRunner?>(nil)
    private let wake: AsyncSignal
    private let busy: AsyncSignal
    private let endings: JobCompleter
    private let announcer: JobNotifier
    private let mustLook = AtomicFlag(isSet: true)

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
            State(jobs: JobState(concurrency: settings.concurrency), lease: LeaseTimes(lease: settings.lease))
        )
        wake = AsyncSignal(on: loops[0])
        busy = AsyncSignal(on: loops[0])
        endings = JobCompleter(
            queue,
            AsyncSignal(on: loops[0]),
            onReturn: { [mustLook, wake] in
                mustLook.set()
                wake.raise()
            },
            onRoom: { [wake] in wake.raise() }
        )
        announcer = JobNotifier(database, worker: number, AsyncSignal(on: loops[0]))
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
            return state.jobs.stop()
        }
        for job in unstarted { endings.add(job.claim, .returned) }
        wake.raise()
    }

    /// Performs jobs until ``stop(within:)`` or the cancellation of the task. `makeContext` makes the context of one.
    package func run(_ makeContext: @escaping @Sendable (BackgroundWork) -> Context) async {
        runner.withLock {
            $0 = JobRunner(registry: registry, makeContext: makeContext) { [weak self] in
                self?.state.withLock(\.jobs.isStopping) ?? true
            }
        }
        let isWorking = settings.concurrency > 0 && !registry.isEmpty
        await withTaskExecutorPreference(loops[0]) {
            await withTaskGroup { group in
                group.addTask { await self.announcer.run() }
                group.addTask { await self.watchStrangers() }
                guard isWorking else {
                    while !Task.isCancelled, !self.state.withLock(\.jobs.isStopping) { await self.wake.wait() }
                    return group.cancelAll()
                }
                group.addTask { await self.endings.run() }
                group.addTask { await self.keepAlive() }
                group.addTask { await self.watchLimits() }
                group.addTask { await self.prune() }
                let ours = announcer.name
                let listening = database.listen(to: JobNotifier.channel) { [weak self] payload in
                    if payload != ours { self?.look() }
                }
                await dispatch()
                listening?.close()
                await windDown()
                group.cancelAll()
            }
        }
        // The contexts that it makes know the server, which knows this.
        runner.withLock { $0 = nil }
    }

    private func look() {
        mustLook.set()
        wake.raise()
    }

    // MARK: - Claiming

    private func dispatch() async {
        var ticks = RecurringTicks(registry)
        var floors = ClaimCursor()
        var nextLook: UInt64 = 0
        var failures = 0
        var isFirst = true
        while !Task.isCancelled, !state.withLock(\.jobs.isStopping) {
            let now = clock.nanoseconds()
            let room = self.room
            if room > 0, mustLook.take() || now >= nextLook {
                do throws(PostgresError) {
                    if isFirst { _ = try await queue.rescue(includingAbandoned: true) }
                    isFirst = false
                    try await releaseUnknown(at: now)
                    try await ticks.enqueueMissing(queue)
                    nextLook = now &+ (try await look(for: room, &ticks, &floors, sentAt: now)).nanosecondsClamped
                    if failures > 0 { logger.notice("jobs are claimed again") }
                    failures = 0
                } catch {
                    failures += 1
                    // A claim whose answer was lost.
                    if error.kind != .server { state.withLock { $0.doubts.arise(at: now, lease: settings.lease) } }
                    if failures == 1 { report(error) }
                    nextLook = now &+ pause(afterFailures: failures, error).nanosecondsClamped
                }
            }
            let later = clock.nanoseconds()
            let limit = nextLook > later ? Duration.nanoseconds(Int64(clamping: nextLook - later)) : .zero
            // Without room, the end of a job wakes it.
            let hasRoom = self.room > 0
            if hasRoom, mustLook.isSet || limit == .zero { continue }
            await wake.wait(atMost: hasRoom ? limit : settings.poll)
        }
    }

    /// For how many more jobs there is room here, and for their endings.
    private var room: Int { endings.isBehind ? 0 : state.withLock(\.jobs.room) }

    /// Claims jobs and starts them. Returns the time until the next look.
    private func look(
        for room: Int,
        _ ticks: inout RecurringTicks,
        _ floors: inout ClaimCursor,
        sentAt now: UInt64
    ) async throws(PostgresError) -> Duration {
        floors.begin(at: now)
        let batch = try await queue.claim(room, names: registry.names, from: floors)
        floors.note(batch, isFull: batch.jobs.count >= room, duration: clock.nanoseconds() &- now)
        if batch.isRenewed { state.withLock { $0.lease.renew(sentAt: now) } }
        if !batch.jobs.isEmpty { start(batch.jobs) }
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
                floors.lookAtAll()
                return count > 0 ? .zero : pause
            }
            pause = min(pause, untilDeath + .milliseconds(20))
        }
        return pause
    }

    /// Returns what was claimed for this server without its knowledge.
    private func releaseUnknown(at now: UInt64) async throws(PostgresError) {
        guard state.withLock({ $0.doubts.isDue(at: now) }) else { return }
        // Those that are held first: a job goes from there to the endings.
        let known = state.withLock(\.jobs.ids) + endings.ids
        let count = try await queue.releaseAll(except: known)
        state.withLock { $0.doubts.settle(at: now) }
        if count > 0 { logger.warning("jobs of a lost claim returned", metadata: ["jobs": "\(count)"]) }
    }

    private func start(_ jobs: [ClaimedJob]) {
        let (slots, unwanted) = state.withLock { state -> ([Int], [ClaimedJob]) in
            guard !state.jobs.isStopping else { return ([], jobs) }
            return (state.jobs.add(jobs), [])
        }
        for job in unwanted { endings.add(job.claim, .returned) }
        for slot in slots {
            let task = Task(executorPreference: loops[slot % loops.count]) { await self.serve(slot) }
            state.withLock { state in
                // It may have ended already.
                if state.jobs.slots[slot] != nil { state.tasks[slot] = task }
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
    private func serve(_ slot: Int) async {
        guard let runner = runner.withLock(\.self) else { return }
        let turns = LoopTurns(loops[slot % loops.count])
        while true {
            let job = state.withLock { state in
                let job = state.jobs.take(slot, at: clock.nanoseconds())
                if job == nil { state.tasks[slot] = nil }
                return job
            }
            guard let job else { break }
            let start = clock.nanoseconds()
            let outcome = await runner.run(job)
            let now = clock.nanoseconds()
            let (isOurs, hasRoom) = state.withLock { state in
                let isOurs = state.jobs.end(slot, at: now)
                // Within the lock, so that a job is at no time in neither place, see `releaseUnknown`.
                if isOurs { endings.add(job.claim, outcome) }
                return (isOurs, state.jobs.room > 0)
            }
            guard isOurs else { return }
            report(job, outcome, nanoseconds: now &- start)
            if hasRoom { wake.raise() }
            await turns.count()
        }
        wake.raise()
    }

    /// Whether it is one of the server's own that come again and again.
    private func isUpkeep(_ job: ClaimedJob) -> Bool {
        job.name.hasPrefix("swiftlet-") && registry[job.name]?.recurrence != nil
    }

    private func report(_ job: ClaimedJob, _ outcome: JobOutcome, nanoseconds: UInt64) {
        metrics.add(job.name, outcome, nanoseconds: nanoseconds)
        // It may wait again.
        if case .lost = outcome { look() }
        let level = outcome.level(isUpkeep: isUpkeep(job), attempt: job.attempt)
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
            guard state.withLock({ !$0.jobs.slots.isEmpty }) else {
                await busy.wait()
                continue
            }
            try? await Task.sleep(for: Self.limitInterval)
            let overdue = state.withLock { state in
                state.jobs.giveUpOverdue(at: clock.nanoseconds()) { registry[$0.name]?.policy.limit ?? .seconds(60) }
            }
            for (slot, job) in overdue {
                cancel(slot)
                let policy = registry[job.name]?.policy ?? RetryPolicy()
                let error = JobOverdue(limit: policy.limit)
                let outcome = JobOutcome(error, of: job, policy, jitter: Double.random(in: 0...1))
                endings.add(job.claim, outcome)
                report(job, outcome, nanoseconds: UInt64(policy.limit.seconds * 1e9))
            }
            guard !overdue.isEmpty else { continue }
            start([])
            look()
        }
    }

    private func cancel(_ slot: Int) { state.withLock { $0.tasks.removeValue(forKey: slot) }?.cancel() }

    // MARK: - Staying alive

    private func keepAlive() async {
        let interval = settings.lease / 10
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            let now = clock.nanoseconds()
            let isHolding = state.withLock { !$0.jobs.isIdle } || endings.count > 0
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
        let now = clock.nanoseconds()
        let running = state.withLock { state in
            state.doubts.arise(at: now, lease: settings.lease)
            return state.jobs.giveUpAll()
        }
        guard !running.isEmpty else { return }
        logger.warning("the lease of jobs has ended", metadata: ["jobs": "\(running.count)"])
        for (slot, job) in running {
            cancel(slot)
            metrics.add(job.name, .lost, nanoseconds: 0)
        }
        look()
    }

    // MARK: - Stopping

    /// How long the stop waits for a database that is not there.
    private static let drainLimit = Duration.seconds(1)

    private func windDown() async {
        let end = ContinuousClock.now + state.withLock(\.grace)
        while state.withLock({ !$0.jobs.slots.isEmpty }), ContinuousClock.now < end, !Task.isCancelled {
            await wake.wait(atMost: .milliseconds(50))
        }
        let running = state.withLock { $0.jobs.giveUpAll() }
        for (slot, job) in running {
            cancel(slot)
            endings.add(job.claim, .returned)
        }
        if !running.isEmpty { logger.warning("jobs returned at the stop", metadata: ["jobs": "\(running.count)"]) }
        await endings.drain(within: Self.drainLimit)
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
