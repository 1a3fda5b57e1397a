import SwiftletEventLoop

/// Lets the loop look at its sockets after every few jobs, so that requests do not wait behind a row of short ones.
///
/// Used by one task, on the loop. `Task.yield()` is not enough: the loop would resume the task first. The continuation
/// is cleared before it is resumed.
@safe final class LoopTurns: TurnObserver {
    private static let jobsPerTurn = 8

    private let loop: EventLoop
    private var jobs = 0
    private var pause: UnsafeContinuation<Void, Never>?

    init(_ loop: EventLoop) { self.loop = loop }

    /// To be called after each job.
    func count() async {
        jobs += 1
        guard jobs % Self.jobsPerTurn == 0, loop.isCurrent else { return }
        await unsafe withUnsafeContinuation { continuation in
            unsafe pause = continuation
            loop.afterTurn(self)
        }
    }

    func turnEnded() {
        guard let pause = unsafe pause else { return }
        unsafe self.pause = nil
        unsafe pause.resume()
    }
}
