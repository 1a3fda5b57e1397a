import Synchronization

/// Statements by their text, for SQL that authors write in place.
///
/// Two generations: when the young one is full it becomes the old one, and what the old one held and nobody asked for
/// since is forgotten. So the cache is bounded, and what is in use stays.
final class StatementCache: Sendable {
    private struct Generations {
        var young: [String: Statement] = [:]
        var old: [String: Statement] = [:]
    }

    private let limit: Int
    private let generations = Mutex(Generations())

    init(limit: Int = 512) {
        self.limit = limit
    }

    func statement(for text: String) -> Statement {
        generations.withLock { generations in
            if let known = generations.young[text] { return known }
            let statement =
                generations.old[text] ?? Statement(text, isReadOnly: SQLClassifier.isReadOnly(text))
            if generations.young.count >= limit {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[text] = statement
            return statement
        }
    }
}
