/// The position in the database's history that the caller has to find again when it reads: servers with replicas tell it
/// after each write, and read from a replica only when that is so far.
///
/// Whenever it is not certain, as after a write whose answer was lost, it is unknown, and the next answer tells it.
final class LastPosition: Sendable {
    static let header = "X-Swiftlet-Position"
    private static let unknown = "new"

    /// What one request carries.
    struct Carried: Sendable {
        let text: String
        /// How often it was forgotten before.
        let generation: Int
    }

    private let current = Locked(Carried(text: unknown, generation: 0))

    var carried: Carried { current.withLock(\.self) }

    /// From now on it is unknown, whatever answers come of requests that were sent before.
    func forget() {
        current.withLock { $0 = Carried(text: Self.unknown, generation: $0.generation + 1) }
    }

    /// Of two positions the greater text is the later one. A server without replicas tells none.
    func answered(_ text: String?, to request: Carried, isRead: Bool) {
        guard let text, text != Self.unknown else { return isRead ? () : forget() }
        current.withLock { current in
            guard current.generation == request.generation else { return }
            if current.text == Self.unknown || current.text < text {
                current = Carried(text: text, generation: current.generation)
            }
        }
    }
}
