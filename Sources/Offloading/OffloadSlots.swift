import Synchronization

extension Offload {
    struct Piece: Sendable {
        /// nil for one that is never given up.
        let id: ObjectIdentifier?
        let run: @Sendable () -> Void
    }

    /// Decides which work runs, waits or is refused.
    final class Slots: Sendable {
        enum Decision: Hashable {
            case start
            case wait
            case refuse
        }

        private struct State {
            var running = 0
            var waiting: [Piece] = []
        }

        private let width: Int
        private let depth: Int
        private let state = Mutex(State())

        init(width: Int, depth: Int) {
            self.width = width
            self.depth = depth
        }

        var waitingCount: Int { state.withLock(\.waiting.count) }

        /// An urgent piece is never refused.
        func take(_ piece: Piece, isUrgent: Bool = false) -> Decision {
            state.withLock { state in
                if state.running < width {
                    state.running += 1
                    return .start
                }
                guard isUrgent || state.waiting.count < depth else { return .refuse }
                state.waiting.append(piece)
                return .wait
            }
        }

        /// The next waiting piece for the slot that has become free, first come first served.
        func finish() -> Piece? {
            state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
        }

        /// Gives up the place of a piece that is still waiting.
        func drop(_ id: ObjectIdentifier) {
            // Released outside of the lock, as whatever it holds may come back here.
            _ = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
        }
    }
}
