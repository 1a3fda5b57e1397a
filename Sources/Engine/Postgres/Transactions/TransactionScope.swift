import SwiftletEventLoop

/// The loop's side of a ``Transaction``: its connection, and how far the transaction has come.
final class TransactionScope {
    private let pool: Pool
    private let lease: Lease
    private var hasBegun = false
    private var isOver = false
    private var mayLeaveTraces = false

    private static let begin = Statement("BEGIN", isReadOnly: false)
    private static let commit = Statement("COMMIT", isReadOnly: false)
    private static let rollback = Statement("ROLLBACK", isReadOnly: false)

    init(pool: Pool, lease: Lease) {
        self.pool = pool
        self.lease = lease
    }

    /// Runs statements in one round trip. BEGIN travels with the first of them.
    func query(_ parts: [PendingQuery.Part]) async throws(PostgresError) -> [RowsBox] {
        do throws(StatementGroupError) {
            return try await group(parts).get()
        } catch {
            throw error.error
        }
    }

    func group(_ parts: [PendingQuery.Part]) async -> Result<[RowsBox], StatementGroupError> {
        func failure(_ error: PostgresError, _ index: Int? = nil) -> Result<[RowsBox], StatementGroupError> {
            .failure(StatementGroupError(error: error, index: index))
        }
        guard !isOver else { return failure(.transactionIsOver) }
        guard lease.connection?.isAlive == true else { return failure(.connectionFailure) }
        for (index, part) in parts.enumerated() {
            if let fault = part.parameters.fault { return failure(fault, index) }
        }
        let skipped = hasBegun ? 0 : 1
        hasBegun = true
        let all = skipped == 0 ? parts : [PendingQuery.Part(statement: Self.begin, parameters: .none)] + parts
        let pending = PendingQuery(
            all[0].statement,
            all[0].parameters,
            others: Array(all.dropFirst()),
            deadline: pool.deadline
        )
        await pool.run(pending, in: lease)
        return pending.takeGroupResult(after: skipped)
    }

    /// Has what a statement may have set for the rest of the session taken back at the end. A rollback undoes settings,
    /// but frees no locks of the session.
    func noteTraces() { mayLeaveTraces = true }

    /// Commits. Not abandoned when the task is cancelled: only the server's answer says what has happened.
    func commit() async throws(PostgresError) {
        guard !isOver else { throw .transactionIsOver }
        guard hasBegun else { return end() }
        if Task.isCancelled { throw .cancelled }
        let pending = control(Self.commit)
        await unsafe withUnsafeContinuation { continuation in
            unsafe pending.caller = .task(continuation)
            pool.submit(pending, in: lease)
        }
        let rows = try pending.takeRows()
        // After an error that the caller has swallowed, the server answers COMMIT by rolling back.
        guard rows.commandTag == "COMMIT" else { throw .transactionHasFailed }
        end()
    }

    /// Rolls back; the connection serves nobody else before that is done.
    func rollBack() {
        guard !isOver else { return }
        if hasBegun, let connection = lease.connection, connection.isAlive {
            let pending = control(Self.rollback)
            pending.caller = .action { pending in
                if pending.error != nil { connection.die("a transaction could not be rolled back") }
            }
            pool.submit(pending, in: lease)
        }
        end()
    }

    private func end() {
        isOver = true
        pool.endLease(lease)
    }

    private func control(_ statement: Statement) -> PendingQuery {
        PendingQuery(statement, .none, mayLeaveTraces: mayLeaveTraces, deadline: pool.deadline)
    }
}

extension PostgresError {
    fileprivate static let transactionIsOver = PostgresError(
        kind: .server,
        state: SQLState(rawValue: "25P01"),
        message: "the transaction is over"
    )
    fileprivate static let transactionHasFailed = PostgresError(
        kind: .server,
        state: .inFailedTransaction,
        message: "an earlier statement of the transaction failed, so it was rolled back"
    )
}
