import SwiftletEventLoop
import SwiftletPostgres
import Synchronization

/// How jobs have ended, until the database knows. What ends while a statement is under way shares the next one.
final class JobCompleter: Sendable {
    private typealias Ending = (claim: JobClaim, outcome: JobOutcome)

    private struct State {
        var pending: [Ending] = []
        /// Those whose statement is under way.
        var inHand: [Ending] = []
    }

    private static let maximumAtOnce = 500
    private static let maximumBehind = 2000
    private let queue: JobQueue
    private let wake: AsyncSignal
    private let state = Mutex(State())
    /// Called when jobs wait again.
    private let onReturn: @Sendable () -> Void
    /// Called when it is no longer behind.
    private let onRoom: @Sendable () -> Void

    init(
        _ queue: JobQueue,
        _ wake: AsyncSignal,
        onReturn: @escaping @Sendable () -> Void,
        onRoom: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        self.onRoom = onRoom
        self.onReturn = onReturn
        self.wake = wake
    }

    /// How many the database does not know yet.
    var count: Int { state.withLock { $0.pending.count + $0.inHand.count } }

    /// Whether so many wait that more jobs must not be claimed. ``onRoom`` tells its end.
    var isBehind: Bool { count >= Self.maximumBehind }

    /// The jobs whose ending the database does not know yet.
    var ids: [Int] { state.withLock { ($0.inHand + $0.pending).map(\.claim.id) } }

    func add(_ claim: JobClaim, _ outcome: JobOutcome) {
        switch outcome {
        case .settled, .lost: return
        default: break
        }
        let isFirst = state.withLock { state in
            state.pending.append((claim, outcome))
            return state.pending.count == 1
        }
        if isFirst { wake.raise() }
    }

    /// Writes what comes, until the task is cancelled.
    func run() async {
        var failures = 0
        while !Task.isCancelled {
            if await flush() {
                failures = 0
                await wake.wait()
            } else {
                failures += 1
                await wake.wait(atMost: .milliseconds(min(1000, 25 << min(failures, 6))))
            }
        }
    }

    /// Returns when ``run()`` has written everything, or after `limit`.
    func drain(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        while count > 0, ContinuousClock.now < end, !Task.isCancelled {
            wake.raise()
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Writes what there is; false if the database cannot be reached. Each statement names the claim, so to repeat one
    /// whose answer was lost is safe.
    private func flush() async -> Bool {
        while true {
            let batch = state.withLock { state in
                state.inHand = Array(state.pending.prefix(Self.maximumAtOnce))
                state.pending.removeFirst(state.inHand.count)
                return state.inHand
            }
            guard !batch.isEmpty else { return true }
            let left = await write(batch)
            let wasBehind = isBehind
            state.withLock { state in
                state.inHand = []
                state.pending.insert(contentsOf: left, at: 0)
            }
            if wasBehind, !isBehind { onRoom() }
            if !left.isEmpty { return false }
        }
    }

    /// Returns what was not written.
    private func write(_ batch: [Ending]) async -> [Ending] {
        var done: [JobClaim] = []
        var returned: [JobClaim] = []
        var left: [Ending] = []
        for ending in batch {
            switch ending.outcome {
            case .done: done.append(ending.claim)
            case .returned: returned.append(ending.claim)
            default: if await !write(ending.claim, ending.outcome) { left.append(ending) }
            }
        }
        if !done.isEmpty, (try? await queue.complete(done)) == nil { left += done.map { ($0, .done) } }
        if !returned.isEmpty, (try? await queue.release(returned)) == nil { left += returned.map { ($0, .returned) } }
        return left
    }

    private func write(_ claim: JobClaim, _ outcome: JobOutcome) async -> Bool {
        do {
            switch outcome {
            case .retry(let pause, let error):
                if try await queue.retry(claim, after: pause, error) { onReturn() }
            case .failed(let error): _ = try await queue.fail(claim, error)
            default: break
            }
            return true
        } catch {
            return false
        }
    }
}
