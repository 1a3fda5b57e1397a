import SwiftletEventLoop

/// What a connection holds counts against limits of its worker.
extension HTTPConnection {
    /// Counts the content that has arrived; false when the worker holds too much of all clients together.
    func hold(_ bodyBytes: Int) -> Bool {
        let count = max(0, bodyBytes &- Self.freeBodyBytes)
        let added = count &- heldBodyBytes
        guard added > 0 else { return true }
        guard worker.heldBodyBytes &+ added <= worker.configuration.maximumHeldBodyBytes else { return false }
        worker.heldBodyBytes &+= added
        heldBodyBytes = count
        return true
    }

    /// The response is on its way, or will never be.
    func endExchange() {
        _ = exchange.take()
        releaseBody()
    }

    func releaseBody() {
        worker.heldBodyBytes &-= heldBodyBytes
        heldBodyBytes = 0
    }

    /// Counts the memory of what the client has not taken, the kernel's part included.
    func holdOutput() {
        let held = output.capacity + (isBlocked ? SystemCall.maximumUnsentBytes : 0)
        guard held != heldOutputBytes else { return }
        let before = heldOutputBytes
        heldOutputBytes = held
        worker.outputChanged(from: before, to: held)
    }
}
