import Dispatch

/// The dispatch sources of one descriptor. Used on the loop's thread.
final class DispatchWatch {
    private let descriptor: CInt
    private let token: UInt64
    private let queue: DispatchQueue
    private let mailbox: DispatchMailbox
    private var interest: Interest = []
    private var reader: DispatchReadiness?
    private var writer: DispatchReadiness?

    init(_ descriptor: CInt, token: UInt64, queue: DispatchQueue, mailbox: DispatchMailbox) {
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
                reader = DispatchReadiness(source, .read, token, mailbox)
            }
            reader?.arm()
        }
        if interest.contains(.write) {
            if writer == nil {
                let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
                writer = DispatchReadiness(source, .write, token, mailbox)
            }
            writer?.arm()
        }
    }

    /// Records that a source fired; true when the handler is still interested.
    func accept(_ note: DispatchMailbox.Note) -> Bool {
        if note.direction.contains(.read) { reader?.isArmed = false }
        if note.direction.contains(.write) { writer?.isArmed = false }
        return !note.direction.isDisjoint(with: Readiness(rawValue: interest.rawValue))
    }

    func rearm(_ direction: Readiness) {
        if direction.contains(.read), interest.contains(.read) { reader?.arm() }
        if direction.contains(.write), interest.contains(.write) { writer?.arm() }
    }

    /// True when both directions are closed, which the sources do not report.
    var hasHungUp: Bool {
        #if os(Linux)
        SystemCall.readiness(of: descriptor).contains(.hangup)
        #else
        // Sources go on firing there, and a peer that has only closed one direction counts as hung up.
        false
        #endif
    }

    var readiness: Readiness {
        SystemCall.readiness(of: descriptor).intersection(Readiness(rawValue: interest.rawValue).union(.broken))
    }

    func cancel() {
        reader?.cancel(on: queue)
        writer?.cancel(on: queue)
    }
}
