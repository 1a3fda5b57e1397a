import Synchronization

/// Wakes the one task that waits for it. A call that comes before it waits is not lost; several count as one.
package final class AsyncSignal: Sendable {
    private struct State {
        var isRaised = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let timer: LoopBound<SignalTimer>

    package init(on loop: EventLoop) { timer = LoopBound(SignalTimer(loop), on: loop) }

    package func raise() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let waiter = state.waiter.take() else {
                state.isRaised = true
                return nil
            }
            return waiter
        }
        waiter?.resume()
    }

    /// Returns when it is raised, after `limit`, or when the task is cancelled; perhaps sooner.
    package func wait(atMost limit: Duration? = nil) async {
        if let limit { timer.loop.execute { [self] in timer.value.set(limit) { [weak self] in self?.raise() } } }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard !state.isRaised, !Task.isCancelled else {
                        state.isRaised = false
                        return false
                    }
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
    }
}

/// One timer, moved for each wait. Belongs to its loop.
private final class SignalTimer {
    private let loop: EventLoop
    private var timer: LoopTimer?

    init(_ loop: EventLoop) { self.loop = loop }

    func set(_ delay: Duration, _ action: @escaping () -> Void) {
        let deadline = loop.now + max(.zero, delay)
        if let timer { timer.reschedule(at: deadline) } else { timer = loop.schedule(at: deadline, action) }
    }
}
