import Synchronization

/// How much of the responses of one event loop its clients have not read yet. It decides whether there is room for
/// another large one.
package final class UnreadOutput: Sendable {
    /// A response up to this size is never withheld, and a client that leaves no more than this unread is not counted.
    package static let freeBytes = 524_288

    /// How much all large responses together may leave unread.
    package let limit: Int
    private let largeBytes = Atomic<Int>(0)

    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether a response of that size may be sent now. A first large one may, however large.
    package func admits(_ bytes: Int) -> Bool {
        guard bytes > Self.freeBytes else { return true }
        let unread = largeBytes.load(ordering: .relaxed)
        return unread == 0 || unread &+ bytes <= limit
    }

    /// The unread output of one client has changed.
    package func changed(from old: Int, to new: Int) {
        let change = Self.counted(new) &- Self.counted(old)
        if change != 0 { largeBytes.wrappingAdd(change, ordering: .relaxed) }
    }

    private static func counted(_ bytes: Int) -> Int { bytes > freeBytes ? bytes : 0 }
}
