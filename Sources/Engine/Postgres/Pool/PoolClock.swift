import SwiftletEventLoop

/// Calls back every ten milliseconds while there is something to look at.
final class PoolClock {
    private static let interval = Duration.milliseconds(10)

    private let loop: EventLoop
    /// While this runs, which breaks the retain cycle. A weak reference would cost every use of the pool an indirection.
    private var look: (() -> Bool)?
    private var timer: LoopTimer?
    private(set) var isRunning = false

    init(loop: EventLoop) { self.loop = loop }

    /// `look` is called until it returns false.
    func start(_ look: @escaping () -> Bool) {
        isRunning = true
        self.look = look
        let deadline = loop.now + Self.interval
        if let timer { return timer.reschedule(at: deadline) }
        timer = loop.schedule(at: deadline) { [weak self] in self?.tick() }
    }

    func stop() {
        timer?.cancel()
        look = nil
        isRunning = false
    }

    private func tick() {
        isRunning = false
        guard let look = look.take() else { return }
        if look(), !isRunning { start(look) }
    }
}
