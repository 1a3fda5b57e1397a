internal import Dispatch
internal import Foundation
internal import Synchronization

/// Threads for work that keeps a core busy for tens of milliseconds, behind everything else in priority.
///
/// They are threads of their own as their priority is lowered for good. While a crowd signs in, other endpoints get the
/// cores first: `/tasks` 2600 times a second on two cores, against 1600 times with equal priorities, for a fifth fewer
/// sign-ins. Made on first use, ended with this object.
final class HashingThreads: Sendable {
    private let line: Line

    /// `width` pieces run at once, `depth` wait. Pieces for strangers get half of these places.
    init(width: Int, depth: Int) { line = Line(width: width, depth: depth) }

    deinit { line.close() }

    /// nil at once, without running the work, when there is no place.
    func run<Value: Sendable>(
        forStranger: Bool,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = line.append(forStranger: forStranger) { continuation.resume(with: Result { try work() }) }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    /// Shared with the threads, which must not keep the object above alive.
    private final class Line: Sendable {
        private struct State {
            var waiting: [Piece] = []
            var outstanding = 0
            var ofStrangers = 0
            var isStarted = false
        }

        private struct Piece {
            let isForStranger: Bool
            let work: @Sendable () -> Void
        }

        private let width: Int
        private let depth: Int
        private let state = Mutex(State())
        /// Counts the pieces; only these threads ever wait for it.
        private let pieces = DispatchSemaphore(value: 0)

        init(width: Int, depth: Int) {
            self.width = width
            self.depth = depth
        }

        func append(forStranger: Bool, _ work: @escaping @Sendable () -> Void) -> Bool {
            let places = width + depth
            let (isTaken, starts) = state.withLock { state in
                guard state.outstanding < places, !forStranger || state.ofStrangers < max(1, places / 2) else {
                    return (false, false)
                }
                state.waiting.append(Piece(isForStranger: forStranger, work: work))
                state.outstanding += 1
                if forStranger { state.ofStrangers += 1 }
                let starts = !state.isStarted
                state.isStarted = true
                return (true, starts)
            }
            if starts { start() }
            if isTaken { pieces.signal() }
            return isTaken
        }

        /// What waits is done first: somebody awaits each piece.
        func close() {
            guard state.withLock({ $0.isStarted }) else { return }
            for _ in 0..<width { pieces.signal() }
        }

        private func start() {
            for number in 0..<width {
                Thread {
                    // From inside: only the running thread's name reaches the system.
                    Thread.current.name = "hashing-\(number)"
                    self.work()
                }.start()
            }
        }

        private func work() {
            #if os(Linux)
            // On Linux the value belongs to the calling thread alone (sched(7)).
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            #endif
            while true {
                pieces.wait()
                let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
                guard let next else { return }
                next.work()
                state.withLock {
                    $0.outstanding -= 1
                    if next.isForStranger { $0.ofStrangers -= 1 }
                }
            }
        }
    }
}
