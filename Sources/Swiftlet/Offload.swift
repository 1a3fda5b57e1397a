import Dispatch

/// Runs blocking work on Dispatch's threads: at most `width` pieces at once, with up to `depth` waiting.
package struct Offload: Sendable {
    private let queue: DispatchQueue
    private let slots: Slots

    package init(width: Int, depth: Int = 1024) {
        queue = DispatchQueue(label: "swiftlet.offload", attributes: .concurrent)
        slots = Slots(width: width, depth: depth)
    }

    /// Throws ``APIError`` 503 `OVERLOADED` if `depth` pieces are waiting already, else rethrows the error of `work`.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let piece: @Sendable () -> Void = {
                continuation.resume(with: Swift.Result { try work() })
            }
            switch slots.take(piece) {
            case .start: start(piece)
            case .wait: break
            case .refuse:
                continuation.resume(throwing: APIError.unavailable("OVERLOADED", "Too much work is waiting; try again"))
            }
        }
    }

    private func start(_ piece: @escaping @Sendable () -> Void) {
        queue.async {
            piece()
            if let next = slots.finish() { start(next) }
        }
    }
}
