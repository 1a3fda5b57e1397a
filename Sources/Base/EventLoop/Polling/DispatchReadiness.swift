import Dispatch
import Synchronization

/// One dispatch source, and whether it may fire.
final class DispatchReadiness {
    private let source: any DispatchSourceProtocol
    /// Set by the source's own handler: a suspended source must be resumed before its cancellation completes.
    private let isSuspended: SuspensionFlag
    /// As the loop's thread sees it: false from the arrival of the note until the next `arm`.
    var isArmed: Bool

    init(_ source: any DispatchSourceProtocol, _ direction: Readiness, _ token: UInt64, _ mailbox: DispatchMailbox) {
        self.source = source
        let isSuspended = SuspensionFlag()
        self.isSuspended = isSuspended
        isArmed = true
        source.setEventHandler {
            // Suspended before the note is posted, because the loop may resume as soon as it has the note. Capturing
            // the source keeps it alive until it is cancelled.
            source.suspend()
            isSuspended.value.store(true, ordering: .releasing)
            mailbox.post(DispatchMailbox.Note(token: token, direction: direction, mayBeLast: source.data == 0))
        }
        // A hangup before this is known only to the descriptor's other source: this one would never fire.
        source.setRegistrationHandler {
            mailbox.post(DispatchMailbox.Note(token: token, direction: [], mayBeLast: true))
        }
        source.activate()
    }

    func arm() {
        guard !isArmed else { return }
        isArmed = true
        isSuspended.value.store(false, ordering: .releasing)
        source.resume()
    }

    /// Returns when dispatch no longer uses the descriptor, so that the caller may close it.
    func cancel(on queue: DispatchQueue) {
        let isReleased = DispatchSemaphore(value: 0)
        source.setCancelHandler { isReleased.signal() }
        source.cancel()
        // The handler cannot start once this has passed through the queue, so the flag is final.
        queue.sync {}
        if isSuspended.value.load(ordering: .acquiring) { source.resume() }
        isReleased.wait()
    }
}

private final class SuspensionFlag: Sendable {
    let value = Atomic(false)
}
