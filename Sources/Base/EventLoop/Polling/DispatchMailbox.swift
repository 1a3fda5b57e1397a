import Dispatch
import Synchronization

/// Carries notes from the dispatch sources to the loop's thread.
final class DispatchMailbox: Sendable {
    struct Note {
        let token: UInt64
        /// Empty from a source that has only begun to watch.
        let direction: Readiness
        /// No further note may come after the peer has hung up: on Linux, a source that reports no bytes does not fire
        /// again then, and one that begins to watch never does.
        let mayBeLast: Bool
    }

    private struct Contents {
        var notes: [Note] = []
        var isWoken = false
        var isAnnounced = false
    }

    private let contents = Mutex(Contents())
    // Only the loop's thread waits here, when it has nothing else to do.
    private let announcement = DispatchSemaphore(value: 0)

    func post(_ note: Note) {
        announce { $0.notes.append(note) }
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

    func wait(_ timeout: PollTimeout, into notes: inout [Note]) -> Bool {
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
        notes.append(contentsOf: taken.notes)
        return taken.isWoken
    }
}
