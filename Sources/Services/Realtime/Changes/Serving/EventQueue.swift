import SwiftletEventLoop
import Synchronization

/// What one stream of events has still to write. It takes no more while it is full, and tells when there is room again.
final class EventQueue: Sendable {
    /// Bytes that wait for a slow client; the rest stays in the log.
    private static let maximumBytes = 262_144

    private struct State {
        var deliveries: [ChangeDelivery] = []
        var bytes = 0
        var hasRefused = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// False when it is full.
    func add(_ delivery: ChangeDelivery) -> Bool {
        let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.bytes < Self.maximumBytes else {
                state.hasRefused = true
                return (false, nil)
            }
            state.deliveries.append(delivery)
            state.bytes += delivery.bytes
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isTaken
    }

    /// Ends a wait.
    func wake() { state.withLock { $0.waiter.take() }?.resume() }

    /// All that has come, at once if there is something, else when there is, or after ``wake()``. `hasRefused` when it was
    /// full in between.
    func next() async -> (deliveries: [ChangeDelivery], hasRefused: Bool) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.deliveries.isEmpty, !state.hasRefused, !Task.isCancelled else { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        return state.withLock { state in
            defer { (state.deliveries, state.bytes, state.hasRefused) = ([], 0, false) }
            return (state.deliveries, state.hasRefused)
        }
    }
}

extension ChangeDelivery {
    fileprivate var bytes: Int {
        switch self {
        case .change(_, _, _, let data): data.count + 128
        case .reset: 128
        }
    }
}
