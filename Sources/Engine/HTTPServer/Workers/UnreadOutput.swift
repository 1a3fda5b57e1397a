/// How much of the responses of one event loop its clients have not read yet. It decides whether there is room for
/// another large one.
final class UnreadOutput {
    /// A response up to this size is never withheld, and a client that leaves no more than this unread is not counted.
    private static let freeBytes = 524_288

    /// How much all large responses together may leave unread.
    let limit: Int
    private var largeBytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a response of that size may be sent now. A first large one may, however large.
    func admits(_ bytes: Int) -> Bool {
        bytes <= Self.freeBytes || largeBytes == 0 || largeBytes &+ bytes <= limit
    }

    /// The unread output of one client has changed.
    func changed(from old: Int, to new: Int) {
        largeBytes &+= Self.counted(new) &- Self.counted(old)
    }

    private static func counted(_ bytes: Int) -> Int { bytes > freeBytes ? bytes : 0 }
}
