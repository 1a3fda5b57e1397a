import SwiftletEventLoop

/// Accepts connections for one loop.
final class Listener: ReadinessHandler {
    /// A burst of new clients must not hold up the established ones.
    private static let maximumPerTurn = 32
    /// Clients that keep connecting must not hold up the shutdown.
    private static let maximumAtStop = 10_000
    /// How long accepting pauses when a resource is exhausted, unless a connection closes earlier.
    private static let pause: Duration = .milliseconds(50)

    private var descriptor: FileDescriptor
    private let admission: Admission
    /// Owns this listener.
    private unowned let worker: Worker
    private var registration: Registration?
    private var resumption: LoopTimer?

    init(_ descriptor: consuming FileDescriptor, admission: Admission, worker: Worker) {
        self.descriptor = descriptor
        self.admission = admission
        self.worker = worker
    }

    func start() {
        resumption = nil
        do throws(SystemError) {
            registration = try worker.loop.register(descriptor.number, .read, self)
        } catch {
            worker.counters.acceptFailed()
            resumption = worker.loop.schedule(after: Self.pause) { [unowned self] in start() }
        }
    }

    func ready(_ readiness: Readiness) {
        for _ in 0..<Self.maximumPerTurn {
            guard acceptOne() else { return }
        }
    }

    /// Ends a pause early: a connection has closed and freed its resources.
    func resume() {
        guard let resumption, let registration else { return }
        resumption.cancel()
        self.resumption = nil
        worker.loop.update(registration, .read)
    }

    /// Accepts the clients that are queued by now, and closes the socket.
    func stop() {
        resumption?.cancel()
        resumption = nil
        var remaining = Self.maximumAtStop
        while remaining > 0, acceptOne() { remaining -= 1 }
        resumption?.cancel()
        if let registration { worker.loop.deregister(registration) }
        registration = nil
        descriptor.close()
    }

    /// False when the queue is empty, or a resource is exhausted.
    private func acceptOne() -> Bool {
        guard admission.enter() else {
            worker.closeLongestIdle()
            pauseAccepting()
            return false
        }
        switch SystemCall.accept(descriptor) {
        case .accepted(let socket, let address):
            worker.opened(socket, from: address)
            return true
        case .wouldBlock:
            admission.leave()
            return false
        case .aborted:
            admission.leave()
            return true
        case .failed:
            // Out of descriptors or memory. The client stays in the kernel's queue; trying again at once would spin.
            admission.leave()
            worker.counters.acceptFailed()
            pauseAccepting()
            return false
        }
    }

    private func pauseAccepting() {
        guard let registration, resumption == nil else { return }
        worker.loop.update(registration, [])
        resumption = worker.loop.schedule(after: Self.pause) { [unowned self] in resume() }
    }
}
