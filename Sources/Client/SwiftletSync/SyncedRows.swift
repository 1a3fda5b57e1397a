/// A value of the local store, now and after every change of it. When changes come faster than they are taken, only the
/// last counts.
public struct SyncedRows<Value: Sendable>: AsyncSequence, Sendable {
    private let watchers: Watchers
    private let subject: Watchers.Subject
    /// nil when the store is gone.
    private let read: @Sendable () async throws -> Value?

    init(_ watchers: Watchers, _ subject: Watchers.Subject, read: @escaping @Sendable () async throws -> Value?) {
        self.watchers = watchers
        self.subject = subject
        self.read = read
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(signals: watchers.watch(subject), read: read)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let signals: AsyncStream<Void>
        let read: @Sendable () async throws -> Value?
        private var hasBegun = false

        init(signals: AsyncStream<Void>, read: @escaping @Sendable () async throws -> Value?) {
            self.signals = signals
            self.read = read
        }

        /// Throws if a row cannot be decoded, or the store cannot be read. Ends with the task or the store.
        public mutating func next() async throws -> Value? {
            if hasBegun {
                // Iterators of one stream continue each other.
                var signals = signals.makeAsyncIterator()
                guard await signals.next() != nil else { return nil }
            }
            hasBegun = true
            return try await read()
        }
    }
}
