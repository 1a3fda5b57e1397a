import Dispatch
import SwiftletBlockingPool
import SwiftletEssentials
import SwiftletEventLoop
import Synchronization

/// Low-priority threads for work that keeps a core busy for tens of milliseconds.
///
/// They are dedicated threads because their priority cannot be raised again. During many sign-ins, other endpoints get
/// the cores first: on two cores, `/tasks` is served 2600 times a second instead of 1600 times, for a fifth fewer
/// sign-ins. Started on first use, and ended with this object.
final class HashingThreads: Sendable {
    private let queue: Queue

    /// Up to `width` jobs run at once and `depth` are queued. Those for strangers get half of these places.
    init(width: Int, depth: Int) { queue = Queue(width: width, depth: depth) }

    deinit { queue.close() }

    /// How many jobs have been begun.
    var begunCount: Int { queue.begunCount }

    /// Runs `work` and rethrows its error; returns nil without running it if all places are taken.
    ///
    /// Throws `CancellationError` if the task is cancelled while the work waits, which gives up its place. Work that has
    /// begun is done and counts: a client that leaves must not get out of the limit of attempts.
    func run<Value: Sendable>(
        forStranger: Bool,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value? {
        let wait = BlockedWait<Value?>()
        let id = ObjectIdentifier(wait)
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                guard wait.begin(continuation) else { return continuation.resume(throwing: CancellationError()) }
                let job = Job(id: id, isForStranger: forStranger) { wait.end(Result { try work() }) }
                if !queue.append(job) { wait.end(.success(nil)) }
            }
        } onCancel: {
            if queue.drop(id) { wait.end(.failure(CancellationError())) }
        }
    }

    private struct Job: Sendable {
        let id: ObjectIdentifier
        let isForStranger: Bool
        let work: @Sendable () -> Void
    }

    /// Shared with the threads, which must not retain the object above.
    private final class Queue: Sendable {
        private struct State {
            var waiting: [Job] = []
            var outstanding = 0
            var jobsForStrangers = 0
            var isStarted = false
            var isClosed = false
            var begun = 0

            mutating func release(_ job: Job) {
                outstanding -= 1
                if job.isForStranger { jobsForStrangers -= 1 }
            }
        }

        private static let niceness: CInt = 10

        private let width: Int
        private let depth: Int
        private let state = Mutex(State())
        /// Signalled for each job that is queued, whether or not it is dropped later, and for each thread that shall
        /// end. Only these threads wait for it.
        private let jobs = DispatchSemaphore(value: 0)

        init(width: Int, depth: Int) {
            self.width = width
            self.depth = depth
        }

        var begunCount: Int { state.withLock(\.begun) }

        func append(_ job: Job) -> Bool {
            let places = width + depth
            let (isTaken, starts) = state.withLock { state in
                guard state.outstanding < places,
                    !job.isForStranger || state.jobsForStrangers < max(1, places / 2)
                else { return (false, false) }
                state.waiting.append(job)
                state.outstanding += 1
                if job.isForStranger { state.jobsForStrangers += 1 }
                let starts = !state.isStarted
                state.isStarted = true
                return (true, starts)
            }
            if starts { start() }
            if isTaken { jobs.signal() }
            return isTaken
        }

        /// Gives up the place of a job that is still waiting; false if it is not.
        func drop(_ id: ObjectIdentifier) -> Bool {
            // Released outside of the lock, as whatever it holds may come back here.
            let job = state.withLock { state -> Job? in
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
                let job = state.waiting.remove(at: index)
                state.release(job)
                return job
            }
            return job != nil
        }

        /// Ends the threads after all queued work, since callers await it.
        func close() {
            let isStarted = state.withLock { state in
                state.isClosed = true
                return state.isStarted
            }
            guard isStarted else { return }
            for _ in 0..<width { jobs.signal() }
        }

        private func start() {
            for number in 0..<width {
                try? NamedThread().start(name: "hashing-\(number)") { self.work() }
            }
        }

        private func work() {
            #if os(Linux)
            // On Linux it only applies to the calling thread (sched(7)).
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
            #endif
            while true {
                jobs.wait()
                let (job, isClosed) = state.withLock { state in
                    (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
                }
                guard let job else {
                    if isClosed { return }
                    continue
                }
                state.withLock { $0.begun += 1 }
                job.work()
                state.withLock { $0.release(job) }
            }
        }
    }
}
