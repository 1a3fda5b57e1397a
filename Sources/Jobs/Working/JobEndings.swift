import Postgres
import Synchronization

/// How jobs have ended, until the database knows. What ends while a statement is under way shares the next one.
final class JobEndings: Sendable {
    private static let maximumAtOnce = 500
    private let queue: JobQueue
    private let wake: Wake
    private let pending = Mutex<[(claim: JobClaim, outcome: JobOutcome)]>([])
    private let inHand = Atomic<Int>(0)
    /// Called when jobs wait again.
    private let onReturn: @Sendable () -> Void

    init(_ queue: JobQueue, _ wake: Wake, onReturn: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.onReturn = onReturn
        self.wake = wake
    }

    /// How many the database does not know yet.
    var count: Int { pending.withLock(\.count) + inHand.load(ordering: .relaxed) }

    func add(_ claim: JobClaim, _ outcome: JobOutcome) {
        switch outcome {
        case .settled, .lost: return
        default: break
        }
        let isFirst = pending.withLock { pending in
            pending.append((claim, outcome))
            return pending.count == 1
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

    /// Writes what there is; false if the database cannot be reached. Each statement names the claim, so to repeat one
    /// whose answer was lost is safe.
    func flush() async -> Bool {
        while true {
            let batch = pending.withLock { pending in
                let batch = Array(pending.prefix(Self.maximumAtOnce))
                pending.removeFirst(batch.count)
                inHand.store(batch.count, ordering: .relaxed)
                return batch
            }
            defer { inHand.store(0, ordering: .relaxed) }
            guard !batch.isEmpty else { return true }
            let left = await write(batch)
            if !left.isEmpty {
                pending.withLock { $0.insert(contentsOf: left, at: 0) }
                return false
            }
        }
    }

    /// Returns what was not written.
    private func write(
        _ batch: [(claim: JobClaim, outcome: JobOutcome)]
    ) async -> [(claim: JobClaim, outcome: JobOutcome)] {
        var done: [JobClaim] = []
        var returned: [JobClaim] = []
        var left: [(claim: JobClaim, outcome: JobOutcome)] = []
        for ending in batch {
            switch ending.outcome {
            case .done: done.append(ending.claim)
            case .returned: returned.append(ending.claim)
            default: if await !write(ending.claim, ending.outcome) { left.append(ending) }
            }
        }
        if !done.isEmpty, (try? await queue.complete(done)) == nil { left += done.map { ($0, .done) } }
        if !returned.isEmpty, (try? await queue.giveBack(returned)) == nil { left += returned.map { ($0, .returned) } }
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
