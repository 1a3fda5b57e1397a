/// What a connection knows of a response that is being produced.
struct StreamedResponse {
    let isChunked: Bool
    /// How many bytes are still to come; nil if nobody knows.
    private(set) var missing: Int?
    /// The producer, until its bytes are on their way.
    var waiter: CheckedContinuation<Result<Void, any Error>, Never>?

    init(isChunked: Bool, missing: Int?) {
        self.isChunked = isChunked
        self.missing = missing
    }

    /// Counts bytes of the body; false for more than were announced.
    mutating func take(_ count: Int) -> Bool {
        guard let missing else { return true }
        guard count <= missing else { return false }
        self.missing = missing - count
        return true
    }
}
