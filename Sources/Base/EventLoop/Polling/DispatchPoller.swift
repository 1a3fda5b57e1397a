import Dispatch

/// Readiness from `DispatchSource`, for platforms without epoll: slower, but the loop still has a single thread.
///
/// The sources fire on a private queue. A source that fires suspends itself and posts a note; the loop's thread takes
/// the note and resumes the source after the handler has run, which makes the poller level-triggered.
final class DispatchPoller: Poller {
    private let queue = DispatchQueue(label: "swiftlet.poller")
    private let mailbox = DispatchMailbox()
    private var watches: [UInt64: DispatchWatch] = [:]
    private var notes: [DispatchMailbox.Note] = []
    /// Descriptors with both directions closed, whose sources do not fire any more.
    private var hungUp: Set<UInt64> = []

    deinit {
        for watch in watches.values { watch.cancel() }
    }

    func add(_ descriptor: CInt, _ interest: Interest, token: UInt64) {
        let watch = DispatchWatch(descriptor, token: token, queue: queue, mailbox: mailbox)
        watches[token] = watch
        watch.update(interest)
    }

    func update(_ descriptor: CInt, _ interest: Interest, token: UInt64) {
        watches[token]?.update(interest)
    }

    func remove(_ descriptor: CInt, token: UInt64) {
        hungUp.remove(token)
        watches.removeValue(forKey: token)?.cancel()
    }

    func wait(_ timeout: PollTimeout, into events: inout [PollEvent]) -> Bool {
        for note in notes where !hungUp.contains(note.token) {
            watches[note.token]?.rearm(note.direction)
        }
        notes.removeAll(keepingCapacity: true)
        let wasWoken = mailbox.wait(hungUp.isEmpty ? timeout : .none, into: &notes)
        for note in notes {
            guard let watch = watches[note.token] else { continue }
            let isWanted = watch.accept(note)
            if note.mayBeLast, watch.hasHungUp {
                hungUp.insert(note.token)
            } else if isWanted {
                events.append(PollEvent(token: note.token, readiness: note.direction))
            }
        }
        for token in hungUp {
            guard let readiness = watches[token]?.readiness else { continue }
            events.append(PollEvent(token: token, readiness: readiness))
        }
        return wasWoken
    }

    func wake() {
        mailbox.wake()
    }
}
