import Dispatch
import Synchronization

/// Readiness by `DispatchSource`, for platforms without epoll; slower, but the loop keeps its one thread.
///
/// The sources fire on a private queue. A source that fired suspends itself and leaves a note; the loop's thread picks
/// the note up, and lets the source go on when the handler has had its turn: that makes it level-triggered.
final class DispatchPoller: Poller {
    private let queue = DispatchQueue(label: "swiftlet.poller")
    private let mailbox = Mailbox()
    private var watches: [UInt64: Watch] = [:]
    private var delivered: [PollEvent] = []

    deinit {
        for watch in watches.values { watch.cancel() }
    }

    func add(_ descriptor: CInt, _ interest: Interest, token: UInt64) {
        let watch = Watch(descriptor, token: token, queue: queue, mailbox: mailbox)
        watches[token] = watch
        watch.update(interest)
    }

    func update(_ descriptor: CInt, _ interest: Interest, token: UInt64) {
        watches[token]?.update(interest)
    }

    func remove(_ descriptor: CInt, token: UInt64) {
        watches.removeValue(forKey: token)?.cancel()
    }

    func wait(_ timeout: PollTimeout, into events: inout [PollEvent]) -> Bool {
        for event in delivered {
            watches[event.token]?.rearm(event.readiness)
        }
        delivered.removeAll(keepingCapacity: true)
        let wasWoken = mailbox.wait(timeout, into: &delivered)
        for event in delivered {
            guard let watch = watches[event.token] else { continue }
            let wanted = watch.accept(event.readiness)
            if !wanted.isEmpty { events.append(PollEvent(token: event.token, readiness: wanted)) }
        }
        return wasWoken
    }

    func wake() {
        mailbox.wake()
    }
}

/// The notes of the sources to the loop's thread.
private final class Mailbox: Sendable {
    private struct Contents {
        var events: [PollEvent] = []
        var isWoken = false
        var isAnnounced = false
    }

    private let contents = Mutex(Contents())
    // The one thread that waits here is the loop's, and it has nothing else to do.
    private let announcement = DispatchSemaphore(value: 0)

    func post(_ event: PollEvent) {
        announce { $0.events.append(event) }
    }

    func wake() {
        announce { $0.isWoken = true }
    }

    private func announce(_ change: (inout Contents) -> Void) {
        let isFirst = contents.withLock { contents in
            change(&contents)
            defer { contents.isAnnounced = true }
            return !contents.isAnnounced
        }
        if isFirst { announcement.signal() }
    }

    func wait(_ timeout: PollTimeout, into events: inout [PollEvent]) -> Bool {
        let result: DispatchTimeoutResult =
            switch timeout {
            case .none: announcement.wait(timeout: .now())
            case .forever: announcement.wait(timeout: .distantFuture)
            case .nanoseconds(let nanoseconds):
                announcement.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds)))
            }
        guard result == .success else { return false }
        let taken = contents.withLock { contents in
            let taken = contents
            contents = Contents()
            return taken
        }
        events.append(contentsOf: taken.events)
        return taken.isWoken
    }
}

/// The sources of one descriptor. Used on the loop's thread.
private final class Watch {
    private let descriptor: CInt
    private let token: UInt64
    private let queue: DispatchQueue
    private let mailbox: Mailbox
    private var interest: Interest = []
    private var reader: Source?
    private var writer: Source?

    init(_ descriptor: CInt, token: UInt64, queue: DispatchQueue, mailbox: Mailbox) {
        self.descriptor = descriptor
        self.token = token
        self.queue = queue
        self.mailbox = mailbox
    }

    func update(_ interest: Interest) {
        self.interest = interest
        if interest.contains(.read) {
            if reader == nil {
                let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
                reader = Source(source, .read, token, mailbox)
            }
            reader?.arm()
        }
        if interest.contains(.write) {
            if writer == nil {
                let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
                writer = Source(source, .write, token, mailbox)
            }
            writer?.arm()
        }
    }

    /// Takes note that sources fired, and returns what of it anyone still wants.
    func accept(_ readiness: Readiness) -> Readiness {
        if readiness.contains(.read) { reader?.isArmed = false }
        if readiness.contains(.write) { writer?.isArmed = false }
        return readiness.intersection(Readiness(rawValue: interest.rawValue))
    }

    func rearm(_ readiness: Readiness) {
        if readiness.contains(.read), interest.contains(.read) { reader?.arm() }
        if readiness.contains(.write), interest.contains(.write) { writer?.arm() }
    }

    func cancel() {
        reader?.cancel(on: queue)
        writer?.cancel(on: queue)
    }
}

/// One dispatch source and whether it may fire.
private final class Source {
    private let source: any DispatchSourceProtocol
    /// Set by the source's own handler; tells a cancellation whether the source must be resumed first.
    private let isSuspended: SuspensionFlag
    /// As the loop's thread knows it: false from the moment the note has arrived until the next `arm`.
    var isArmed: Bool

    init(_ source: any DispatchSourceProtocol, _ readiness: Readiness, _ token: UInt64, _ mailbox: Mailbox) {
        self.source = source
        let isSuspended = SuspensionFlag()
        self.isSuspended = isSuspended
        isArmed = true
        source.setEventHandler {
            // Suspended before the note is posted: the loop may resume as soon as it has the note. The source keeps
            // itself alive by this, until it is cancelled.
            source.suspend()
            isSuspended.value.store(true, ordering: .releasing)
            mailbox.post(PollEvent(token: token, readiness: readiness))
        }
        source.activate()
    }

    func arm() {
        guard !isArmed else { return }
        isArmed = true
        isSuspended.value.store(false, ordering: .releasing)
        source.resume()
    }

    /// Returns when dispatch has let go of the descriptor, so that the caller may close it.
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
