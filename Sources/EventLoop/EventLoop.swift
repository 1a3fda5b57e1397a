#if os(Linux)
import CLinux
#endif
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One thread, one poller, one task executor.
///
/// A turn: wait for readiness, deliver it, fire due timers, run jobs until there are none, tell the turn's observers.
/// All of it on the loop's thread, so what belongs to a loop needs no lock. Only `execute`, `enqueue`, `run` and `stop`
/// may be called from elsewhere; everything else is for the loop's own thread.
@safe package final class EventLoop: TaskExecutor, @unchecked Sendable {
    // Sendable because every `var` below is used on the loop's thread only, other threads leave their work in `inbox`
    // (which has a lock), and `poller.wake` is made for any thread.

    /// Bounds on one turn, so that neither timers nor sockets wait for a chatty neighbour.
    private static let maximumJobsPerTurn = 1024
    private static let maximumTimersPerTurn = 256

    package let index: Int
    private let poller: any Poller
    private let inbox = Inbox()
    private let thread = LoopThread()

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
    /// 64 KiB that anyone on the loop may use for as long as one call lasts, so that idle connections own no memory.
    package let scratch: UnsafeMutableBufferPointer<UInt8>

    private init(index: Int, poller: any Poller) {
        self.index = index
        self.poller = poller
        unsafe scratch = .allocate(capacity: 65536)
        unsafe scratch.initialize(repeating: 0)
    }

    deinit {
        unsafe scratch.deallocate()
    }

    /// Starts a thread that runs a new loop. It lives until `stop`.
    package static func start(index: Int, poller: PollerKind = .default) throws(SystemError) -> EventLoop {
        let loop = EventLoop(index: index, poller: try poller.makePoller())
        try loop.thread.start(name: "loop-\(index)") {
            CurrentLoop.set(loop)
            loop.runTurns()
            CurrentLoop.set(nil)
        }
        return loop
    }

    /// The loop whose thread this is.
    package static var current: EventLoop? { CurrentLoop.get() }

    package var isCurrent: Bool { CurrentLoop.isThis(self) }

    // MARK: - From any thread

    /// Runs the work on the loop: in the next turn from elsewhere, later in the same turn from the loop itself.
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

    /// Runs a piece of work on the loop and returns what it made.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        if isCurrent { return work() }
        return await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: work()) }
        }
    }

    /// Lets the loop run out of work, then ends its thread and waits for that, except on the loop itself.
    ///
    /// What still waits for a descriptor or a timer is abandoned: close it first.
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

    /// Changes what the handler hears of. Costs a system call only when the interest is another than before.
    package func update(_ registration: Registration, _ interest: Interest) {
        guard registrations.setInterest(registration.token, interest) else { return }
        poller.update(registration.descriptor, interest, token: registration.token)
    }

    /// The handler hears nothing more, not even of events that are already fetched; the descriptor may be closed.
    package func deregister(_ registration: Registration) {
        guard registrations.remove(registration.token) else { return }
        poller.remove(registration.descriptor, token: registration.token)
    }

    // MARK: - Time and turns

    package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        schedule(at: now + delay, action)
    }

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

    /// Tells the observer when this turn's events and jobs are done, once; ask again in the next turn.
    package func afterTurn(_ observer: any TurnObserver) {
        observers.append(observer)
    }

    // MARK: - The turn

    private func runTurns() {
        var events: [PollEvent] = []
        while true {
            let wasWoken = poller.wait(timeout(), into: &events)
            now = SystemCall.monotonicTime()
            wallClock = SystemCall.wallTime()
            var budget = Self.maximumJobsPerTurn
            if wasWoken { takeInbox() }
            for event in events {
                registrations.handler(for: event.token)?.ready(event.readiness)
                // At once, while what the event has brought is still in the cache, and its memory can be used again for
                // the next event's.
                if firstJob < jobs.count, budget > 0 { runJobs(&budget) }
            }
            events.removeAll(keepingCapacity: true)
            fireTimers()
            runJobs(&budget)
            tellObservers()
            if mustStop, !hasWork { return }
        }
    }

    private var hasWork: Bool {
        firstJob < jobs.count || !closures.isEmpty || !observers.isEmpty
    }

    private func timeout() -> PollTimeout {
        if hasWork || mustStop { return .none }
        guard let earliest = timers.earliest else { return .forever }
        return .nanoseconds(earliest.nanoseconds &- now.nanoseconds)
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

    private func tellObservers() {
        guard !observers.isEmpty else { return }
        var batch: [any TurnObserver] = []
        swap(&batch, &observers)
        for observer in batch { observer.turnEnded() }
        // Keeps the storage for the next turn, unless an observer has asked for another turn meanwhile.
        if observers.isEmpty {
            batch.removeAll(keepingCapacity: true)
            swap(&batch, &observers)
        }
    }
}
