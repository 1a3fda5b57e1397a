import Dispatch

/// Too much work is waiting already.
package struct Overload: Error {}

/// Runs blocking work on Dispatch's threads: at most `width` pieces at once, with up to `depth` waiting.
package struct BlockingPool: Sendable {
    private let queue: DispatchQueue
    let permits: Permits

    /// `name` is seen in debuggers.
    package init(_ name: String, width: Int, depth: Int = 1024) {
        queue = DispatchQueue(label: "swiftlet.\(name)", attributes: .concurrent)
        permits = Permits(width: width, depth: depth)
    }

    /// Throws ``Overload`` if `depth` pieces are waiting already, and
    /// `CancellationError` as soon as the task is cancelled; else rethrows the error of `work`. Work that
    /// has begun continues, and its result is discarded.
    ///
    /// The pieces of one `owner` wait for those of the others, and are refused at an eighth of `depth`.
    package func run<Value: Sendable>(
        for owner: String? = nil,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let wait = BlockedWait<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard wait.begin(continuation) else { return continuation.resume(throwing: CancellationError()) }
                let piece = Piece(id: ObjectIdentifier(wait), owner: owner) {
                    if !wait.isOver { wait.end(Result { try work() }) }
                }
                switch permits.take(piece) {
                case .start: start(piece)
                // Cancelled before it had a place to give up.
                case .wait: if wait.isOver { permits.drop(ObjectIdentifier(wait)) }
                case .refuse: wait.end(.failure(Overload()))
                }
            }
        } onCancel: {
            wait.end(.failure(CancellationError()))
            permits.drop(ObjectIdentifier(wait))
        }
    }

    /// Runs work that is never given up: it waits however much does, and a cancelled task waits for it as well.
    package func finish<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let piece = Piece(id: nil) { continuation.resume(with: Result(catching: work)) }
            if permits.take(piece, isUrgent: true) == .start { start(piece) }
        }
    }

    /// Runs work that nobody awaits; false, and it is not run, if `depth` pieces are waiting already.
    @discardableResult
    package func begin(_ work: @escaping @Sendable () -> Void) -> Bool {
        let piece = Piece(id: nil, run: work)
        switch permits.take(piece) {
        case .start: start(piece)
        case .wait: break
        case .refuse: return false
        }
        return true
    }

    private func start(_ piece: Piece) {
        queue.async {
            piece.run()
            if let next = permits.finish(piece) { start(next) }
        }
    }
}
