import Dispatch
import Foundation
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

    /// Runs `work` and rethrows its error; returns nil without running it if all places are taken.
    func run<Value: Sendable>(
        forStranger: Bool,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = queue.append(forStranger: forStranger) { continuation.resume(with: Result { try work() }) }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    /// Shared with the threads, which must not retain the object above.
    private final class Queue: Sendable {
        private struct State {
            var waiting: [Job] = []
            var outstanding = 0
            var jobsForStrangers = 0
            var isStarted = false
        }

        private struct Job {
            let isForStranger: Bool
            let work: @Sendable () -> Void
        }

        private static let niceness: CInt = 10

        private let width: Int
        private let depth: Int
        private let state = Mutex(State())
        /// Counts the queued jobs. Only these threads wait for it.
        private let jobs = DispatchSemaphore(value: 0)

        init(width: Int, depth: Int) {
            self.width = width
            self.depth = depth
        }

        func append(forStranger: Bool, _ work: @escaping @Sendable () -> Void) -> Bool {
            let places = width + depth
            let (isTaken, starts) = state.withLock { state in
                guard state.outstanding < places, !forStranger || state.jobsForStrangers < max(1, places / 2) else {
                    return (false, false)
                }
                state.waiting.append(Job(isForStranger: forStranger, work: work))
                state.outstanding += 1
                if forStranger { state.jobsForStrangers += 1 }
                let starts = !state.isStarted
                state.isStarted = true
                return (true, starts)
            }
            if starts { start() }
            if isTaken { jobs.signal() }
            return isTaken
        }

        /// Ends the threads after all queued work, since callers await it.
        func close() {
            guard state.withLock({ $0.isStarted }) else { return }
            for _ in 0..<width { jobs.signal() }
        }

        private func start() {
            for number in 0..<width {
                Thread {
                    // Set by the thread itself, as the system only sees the name of the running thread.
                    Thread.current.name = "hashing-\(number)"
                    self.work()
                }.start()
            }
        }

        private func work() {
            #if os(Linux)
            // On Linux it only applies to the calling thread (sched(7)).
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
            #endif
            while true {
                jobs.wait()
                let job = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
                guard let job else { return }
                job.work()
                state.withLock {
                    $0.outstanding -= 1
                    if job.isForStranger { $0.jobsForStrangers -= 1 }
                }
            }
        }
    }
}
