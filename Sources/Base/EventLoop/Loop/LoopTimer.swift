/// An action that a loop runs at a given time. Belongs to the loop's thread.
package final class LoopTimer {
    package internal(set) var deadline: LoopInstant
    let action: () -> Void
    /// Orders timers of equal deadline by when they were scheduled.
    var sequence: UInt64 = 0
    /// Its index in the heap; nil when it is not scheduled.
    var position: Int?
    private unowned let loop: EventLoop

    init(deadline: LoopInstant, loop: EventLoop, action: @escaping () -> Void) {
        self.deadline = deadline
        self.loop = loop
        self.action = action
    }

    /// Has no effect on a timer that has fired.
    package func cancel() {
        loop.cancel(self)
    }

    /// Moves the timer to another time, also after it has fired, without allocating.
    package func reschedule(at deadline: LoopInstant) {
        loop.reschedule(self, at: deadline)
    }
}
