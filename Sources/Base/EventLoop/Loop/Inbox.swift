import Synchronization

/// Work for a loop from other threads. Whoever puts the first item into an empty inbox wakes the loop.
final class Inbox: Sendable {
    struct Contents {
        var jobs: [UnownedJob] = []
        var closures: [@Sendable () -> Void] = []
        var mustStop = false
        fileprivate var isClaimed = false
        fileprivate var isClosed = false
    }

    private let contents = Mutex(Contents())

    /// Whether the caller has to wake the loop.
    func add(_ job: UnownedJob) -> Bool {
        contents.withLock { contents in
            contents.jobs.append(job)
            return contents.claim()
        }
    }

    /// The same for a closure, which is dropped if the inbox is closed.
    func add(_ closure: @escaping @Sendable () -> Void) -> Bool {
        contents.withLock { contents in
            guard !contents.isClosed else { return false }
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

    /// Drops the closures, and all that come later. They refer to the loop: this breaks the retain cycle.
    func close() {
        let dropped = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.closures = [] }
            return contents.closures
        }
        // Outside of the lock, because what they own may add another one in its deinit.
        _ = consume dropped
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
