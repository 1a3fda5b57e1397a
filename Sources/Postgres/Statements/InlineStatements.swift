import Synchronization

/// Statements by their text, for inline SQL.
///
/// Two generations bound it: when the young one is full it replaces the old one, and statements of the old one that
/// were not used since are dropped.
final class InlineStatements: Sendable {
    private struct Generations {
        var young: [String: Statement] = [:]
        var old: [String: Statement] = [:]
    }

    private let limit: Int
    private let generations = Mutex(Generations())

    init(limit: Int = 512) {
        self.limit = limit
    }

    /// Refuses text that would begin or end a transaction, or change the connection for those who use it next.
    func statement(for sql: SQL) throws(PostgresError) -> Statement {
        let text = sql.text
        guard !SQLClassifier.controlsConnection(text) else { throw .noConnectionControl }
        return statement(for: text)
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

extension PostgresError {
    fileprivate static let noConnectionControl = PostgresError(
        kind: .server,
        state: .featureNotSupported,
        message: "the statement controls the transaction or the session: use transaction { … }, or SET LOCAL in it"
    )
}
