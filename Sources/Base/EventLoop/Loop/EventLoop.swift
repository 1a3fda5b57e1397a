#if os(Linux)
import SwiftletCLinux
#endif
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One thread, one poller, one task executor.
///
/// A turn: wait for readiness, deliver it, fire due timers, run jobs until there are none, notify the turn's observers.
/// All of that happens on the loop's thread, so what belongs to a loop needs no lock. Only `execute`, `enqueue`, `run`
/// and `stop` may be called from other threads.
@safe package final class EventLoop: TaskExecutor, @unchecked Sendable {
    // Sendable because every `var` below is used on the loop's thread only, other threads put their work into `inbox`
    // (which has a lock), and any thread may call `poller.wake`.

    /// Bounds on one turn, so that busy tasks hold up neither timers nor sockets.
    private static let maximumJobsPerTurn = 1024
    private static let maximumTimersPerTurn = 256
    private static let scratchBytes = 65_536
    /// No timer is so late on a thread that runs.
    private static let lateness = Duration.milliseconds(10)

    /// Its number among the loops of the process, from 0.
    package let index: Int
    private let poller: any Poller
    private let inbox = Inbox()
    private let thread = NamedThread()

    private var registrations = RegistrationTable()
    private var timers = TimerHeap()
    private var jobs: [UnownedJob] = []
    private var firstJob = 0
    private var closures: [() -> Void] = []
    private var observers: [any TurnObserver] = []
    private var mustStop = false

    /// The monotonic clock as of the current turn's start.
    package private(set) var now = SystemCall.monotonicTime()
    /// Whole seconds since 1970 as of the current turn's start.
    package private(set) var wallClock = SystemCall.wallTime()
    /// 64 KiB that any code on the loop may use for the duration of one call, so that idle connections own no buffer.
    package let scratch: UnsafeMutableBufferPointer<UInt8>

    private init(index: Int, poller: any Poller) {
        self.index = index
        self.poller = poller
        unsafe scratch = .allocate(capacity: Self.scratchBytes)
        unsafe scratch.initialize(repeating: 0)
    }

    deinit {
        unsafe scratch.deallocate()
    }

    /// Starts a thread that runs a new loop until `stop`.
    package static func start(index: Int, poller: PollerKind = .default) throws(SystemError) -> EventLoop {
        let loop = EventLoop(index: index, poller: try poller.makePoller())
        try loop.thread.start(name: "loop-\(index)") {
            EventLoop.setCurrent(loop)
            loop.runTurns()
            loop.abandonAll()
            EventLoop.setCurrent(nil)
        }
        return loop
    }

    // MARK: - From any thread

    /// Runs the work on the loop: in its next turn, or later in the same turn when called on the loop itself. After
    /// ``stop()`` it is dropped.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            closures.append(work)
        } else if inbox.add(work) {
            poller.wake()
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
        } else if inbox.add(job) {
            poller.wake()
        }
    }

    /// Runs the work on the loop and returns its result. Never returns after ``stop()``.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        if isCurrent { return work() }
        return await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: work()) }
        }
    }

    /// Ends the thread once the loop has no more work to run, and waits for that unless called on the loop itself.
    ///
    /// Registrations and timers are abandoned: cancel them first. Nothing may be given to the loop afterwards.
    package func stop() {
        if isCurrent {
            mustStop = true
        } else {
            if inbox.requestStop() { poller.wake() }
            thread.join()
        }
    }

    // MARK: - Readiness

    /// Watches a descriptor. The handler is kept alive, and the descriptor must stay open, until `deregister`.
    package func register(
        _ descriptor: CInt,
        _ interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        precondition(isCurrent, "registered on another thread than the loop's")
        let token = registrations.add(handler, interest)
        do throws(SystemError) {
            try poller.add(descriptor, interest, token: token)
        } catch {
            _ = registrations.remove(token)
            throw error
        }
        return Registration(descriptor: descriptor, token: token)
    }

    /// Changes the events that are delivered. Costs a system call only when the interest differs from before.
    package func update(_ registration: Registration, _ interest: Interest) {
        guard registrations.setInterest(registration.token, interest) else { return }
        poller.update(registration.descriptor, interest, token: registration.token)
    }

    /// Delivers no more events, not even those already fetched; afterwards the descriptor may be closed.
    package func deregister(_ registration: Registration) {
        guard registrations.remove(registration.token) else { return }
        poller.remove(registration.descriptor, token: registration.token)
    }

    // MARK: - Time and turns

    /// As ``schedule(at:_:)``, after a delay that counts from the start of this turn.
    package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        schedule(at: now + delay, action)
    }

    /// Calls the action in the first turn after the deadline. The loop keeps the timer and the action until it has
    /// fired or is cancelled, so the caller needs the result only to cancel or move it.
    package func schedule(at deadline: LoopInstant, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, loop: self, action: action)
        timers.insert(timer)
        return timer
    }

    func cancel(_ timer: LoopTimer) {
        timers.remove(timer)
    }

    func reschedule(_ timer: LoopTimer, at deadline: LoopInstant) {
        timers.remove(timer)
        timer.deadline = deadline
        timers.insert(timer)
    }

    /// Notifies the observer once, after the events and jobs of this turn.
    package func afterTurn(_ observer: any TurnObserver) {
        observers.append(observer)
    }

    // MARK: - The turn

    private func runTurns() {
        var events: [PollEvent] = []
        while true {
            let wasWoken = wait(into: &events)
            var budget = Self.maximumJobsPerTurn
            if wasWoken { takeInbox() }
            for event in events {
                registrations.handler(for: event.token)?.ready(event.readiness)
                // At once, while the event's data is in the cache, and so that
                // its memory can be reused for the next one.
                if firstJob < jobs.count, budget > 0 { runJobs(&budget) }
            }
            events.removeAll(keepingCapacity: true)
            fireTimers()
            runJobs(&budget)
            notifyObservers()
            if mustStop, !hasWork { return }
        }
    }

    private func wait(into events: inout [PollEvent]) -> Bool {
        let wasWoken = poller.wait(timeout(), into: &events)
        now = SystemCall.monotonicTime()
        wallClock = SystemCall.wallTime()
        // The process or the machine was suspended: what has arrived meanwhile is delivered before timers fire.
        guard events.isEmpty, let earliest = timers.earliest, now > earliest + Self.lateness else { return wasWoken }
        return poller.wait(.none, into: &events) || wasWoken
    }

    /// Drops what nobody has cancelled. Most of it refers to the loop: this breaks the retain cycle.
    private func abandonAll() {
        var (registrations, timers) = (RegistrationTable(), TimerHeap())
        swap(&registrations, &self.registrations)
        swap(&timers, &self.timers)
        inbox.close()
    }

    private var hasWork: Bool {
        firstJob < jobs.count || !closures.isEmpty || !observers.isEmpty
    }

    private func timeout() -> PollTimeout {
        if hasWork || mustStop { return .none }
        guard let earliest = timers.earliest else { return .forever }
        return .nanoseconds(earliest.nanoseconds &- SystemCall.monotonicTime().nanoseconds)
    }

    private func takeInbox() {
        let contents = inbox.takeAll()
        jobs.append(contentsOf: contents.jobs)
        for closure in contents.closures { closures.append(closure) }
        if contents.mustStop { mustStop = true }
    }

    private func fireTimers() {
        for _ in 0..<Self.maximumTimersPerTurn {
            guard let timer = timers.popExpired(at: now) else { return }
            timer.action()
        }
    }

    private func runJobs(_ budget: inout Int) {
        let executor = unsafe asUnownedTaskExecutor()
        repeat {
            if !closures.isEmpty {
                var batch: [() -> Void] = []
                swap(&batch, &closures)
                for closure in batch { closure() }
                budget -= batch.count
            }
            while firstJob < jobs.count, budget > 0 {
                let job = jobs[firstJob]
                firstJob += 1
                budget -= 1
                unsafe job.runSynchronously(on: executor)
            }
            if firstJob == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                firstJob = 0
            }
        } while budget > 0 && (firstJob < jobs.count || !closures.isEmpty)
        if firstJob > 0 {
            jobs.removeFirst(firstJob)
            firstJob = 0
        }
    }

    private func notifyObservers() {
        guard !observers.isEmpty else { return }
        var batch: [any TurnObserver] = []
        swap(&batch, &observers)
        for observer in batch { observer.turnEnded() }
        // Keeps the storage for the next turn, unless an observer has been added meanwhile.
        if observers.isEmpty {
            batch.removeAll(keepingCapacity: true)
            swap(&batch, &observers)
        }
    }
}

/// Notified once after the events and jobs of the current turn, before the loop waits again.
package protocol TurnObserver: AnyObject {
    func turnEnded()
}
