import Synchronization

/// Lets so many render at once, and so many wait. Whoever has no place has copied nothing yet.
final class ImageQueue: Sendable {
    private struct State {
        var running = 0
        var waiting: [(owner: String, place: CheckedContinuation<Void, Never>)] = []
    }

    private let width: Int
    private let depth: Int
    private let state = Mutex(State())

    init(width: Int, depth: Int) {
        self.width = width
        self.depth = depth
    }

    /// Runs `body` in its turn. Throws ``FilesError`` 429 if too many wait already, an eighth of them for this owner.
    func run(for owner: String, _ body: () async throws -> Void) async throws {
        let mayStart = try state.withLock { state throws(FilesError) in
            if state.running < width {
                state.running += 1
                return true
            }
            let ofOwner = state.waiting.count { $0.owner == owner }
            guard state.waiting.count < depth, ofOwner < max(1, depth / 8) else { throw .imagesAreBusy }
            return false
        }
        if !mayStart { await wait(for: owner) }
        defer { leave() }
        try await body()
    }

    private func wait(for owner: String) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.running < width else {
                    state.waiting.append((owner, continuation))
                    return false
                }
                state.running += 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst().place
        }
        next?.resume()
    }
}
