import Synchronization

/// Statements by their text, for inline SQL.
///
/// Two generations bound it: when the young one is full it replaces the old one, and statements of the old one that
/// were not used since are dropped.
final class InlineStatements: Sendable {
    private struct Generations {
        let limit: Int
        var young: [String: Statement] = [:]
        var old: [String: Statement] = [:]

        mutating func use(_ text: String) -> Statement? {
            if let statement = young[text] { return statement }
            if let statement = old[text] { add(statement) }
            return young[text]
        }

        mutating func add(_ statement: Statement) {
            if young.count >= limit {
                old = young
                young = [:]
            }
            young[statement.text] = statement
        }
    }

    private let generations: Mutex<Generations>

    init(limit: Int = 512) {
        generations = Mutex(Generations(limit: limit))
    }

    /// Refuses text that begins or ends a transaction, or whose first words change the session (`SET`, `LISTEN` and the
    /// like). What a function changes, as in `SELECT set_config(…, false)`, stays for those who use the connection next.
    func statement(for sql: SQL) throws(PostgresError) -> Statement {
        let text = sql.text
        if let known = generations.withLock({ $0.use(text) }) { return known }
        guard !SQLClassifier.controlsConnection(text) else { throw .noConnectionControl }
        // Read outside of the lock, which all loops share; another loop may have been quicker.
        let statement = Statement(text, isReadOnly: SQLClassifier.isReadOnly(text))
        return generations.withLock { generations in
            if let known = generations.use(text) { return known }
            generations.add(statement)
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
