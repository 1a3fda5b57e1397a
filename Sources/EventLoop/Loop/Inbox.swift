import Synchronization

/// Work for a loop from other threads. Whoever puts the first item into an empty inbox wakes the loop.
final class Inbox: Sendable {
    struct Contents {
        var jobs: [UnownedJob] = []
        var closures: [@Sendable () -> Void] = []
        var mustStop = false
        fileprivate var isClaimed = false
    }

    private let contents = Mutex(Contents())

    /// Whether the caller has to wake the loop.
    func add(_ job: UnownedJob) -> Bool {
        contents.withLock { contents in
            contents.jobs.append(job)
            return contents.claim()
        }
    }

    func add(_ closure: @escaping @Sendable () -> Void) -> Bool {
        contents.withLock { contents in
            contents.closures.append(closure)
            return contents.claim()
        }
    }

    func requestStop() -> Bool {
        contents.withLock { contents in
            contents.mustStop = true
            return contents.claim()
        }
    }

    func takeAll() -> Contents {
        contents.withLock { contents in
            let taken = contents
            contents = Contents()
            return taken
        }
    }
}

extension Inbox.Contents {
    fileprivate mutating func claim() -> Bool {
        defer { isClaimed = true }
        return !isClaimed
    }
}
