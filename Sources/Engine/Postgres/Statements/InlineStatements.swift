import Synchronization

/// Statements by their text, for inline SQL.
final class InlineStatements: Sendable {
    private let recent: Mutex<RecentlyUsed<String, Statement>>

    init(limit: Int = 512) {
        recent = Mutex(RecentlyUsed<String, Statement>(limit: limit))
    }

    /// Refuses text that begins or ends a transaction, or whose first words change the session (`SET`, `LISTEN` and the
    /// like). What a called function changes, as in `SELECT set_config(…, false)`, is taken back where
    /// ``Statement/mayLeaveTraces`` is heeded.
    func statement(for sql: SQL) throws(PostgresError) -> Statement {
        let text = sql.text
        if let known = recent.withLock({ $0.use(text) }) { return known }
        guard !SQLClassifier.controlsConnection(text) else { throw .noConnectionControl }
        // Read outside of the lock, which all loops share; another loop may have been quicker.
        let statement = Statement(text, isReadOnly: SQLClassifier.isReadOnly(text))
        return recent.withLock { recent in
            if let known = recent.use(text) { return known }
            recent.add(statement, text)
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
