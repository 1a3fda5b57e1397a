import Synchronization

extension BlockingPool {
    struct Piece: Sendable {
        /// nil for one that is never given up.
        let id: ObjectIdentifier?
        /// Who asks for it; nil for the server itself.
        var owner: String?
        let run: @Sendable () -> Void
    }

    /// Decides which work runs, waits or is refused.
    final class Permits: Sendable {
        enum Decision: Hashable {
            case start
            case wait
            case refuse
        }

        private struct State {
            var running = 0
            var owners: [String] = []
            var waiting: [Piece] = []
        }

        private let width: Int
        private let depth: Int
        /// So many pieces of one owner may wait.
        private var share: Int { max(1, depth / 8) }
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
                    if let owner = piece.owner { state.owners.append(owner) }
                    return .start
                }
                guard isUrgent || state.waiting.count < depth else { return .refuse }
                if let owner = piece.owner, state.waiting.count(where: { $0.owner == owner }) >= share {
                    return .refuse
                }
                state.waiting.append(piece)
                return .wait
            }
        }

        /// The next waiting piece for the permit that has become free: first come first served, but those for whom nothing
        /// runs before the others, and of these those who have not just been served.
        func finish(_ done: Piece) -> Piece? {
            state.withLock { state in
                if let owner = done.owner, let index = state.owners.firstIndex(of: owner) {
                    state.owners.remove(at: index)
                }
                guard !state.waiting.isEmpty else {
                    state.running -= 1
                    return nil
                }
                let served = state.owners + [done.owner].compactMap(\.self)
                let index = state.waiting.firstIndex { piece in piece.owner.map { !served.contains($0) } ?? true }
                let next = state.waiting.remove(at: index ?? 0)
                if let owner = next.owner { state.owners.append(owner) }
                return next
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
