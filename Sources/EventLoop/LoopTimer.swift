/// A moment at which a loop runs an action. Belongs to the loop's thread.
package final class LoopTimer {
    package internal(set) var deadline: LoopInstant
    let action: () -> Void
    /// Orders timers of equal deadline by when they were scheduled.
    var sequence: UInt64 = 0
    /// Where the heap keeps it; `nil` when it is not waiting.
    var position: Int?
    private unowned let loop: EventLoop

    init(deadline: LoopInstant, loop: EventLoop, action: @escaping () -> Void) {
        self.deadline = deadline
        self.loop = loop
        self.action = action
    }

    /// Takes the timer back; nothing happens when it has fired already.
    package func cancel() {
        loop.cancel(self)
    }

    /// Arms the timer anew, without allocating: it fires at `deadline` and at no other time.
    package func reschedule(at deadline: LoopInstant) {
        loop.reschedule(self, at: deadline)
    }
}
