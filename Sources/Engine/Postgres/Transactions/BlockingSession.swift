import Synchronization

/// The connection of a ``Transaction`` that was begun on a ``BlockingConnection``. Blocks its caller.
final class BlockingSession: Sendable {
    private let connection: Mutex<BlockingConnection>

    private static let commit = Statement("COMMIT", isReadOnly: false)
    private static let rollback = Statement("ROLLBACK", isReadOnly: false)

    init(_ connection: consuming sending BlockingConnection) { self.connection = Mutex(connection) }

    func group(_ parts: [PendingQuery.Part]) -> Result<[RowsBox], StatementGroupError> {
        connection.withLock { connection in
            var results: [RowsBox] = []
            for (index, part) in parts.enumerated() {
                do throws(PostgresError) {
                    results.append(RowsBox(try connection.rows(part.statement, part.parameters)))
                } catch {
                    return .failure(StatementGroupError(error: error, index: index))
                }
            }
            return .success(results)
        }
    }

    func query(_ parts: [PendingQuery.Part]) throws(PostgresError) -> [RowsBox] {
        do throws(StatementGroupError) {
            return try group(parts).get()
        } catch {
            throw error.error
        }
    }

    func commit() throws(PostgresError) {
        _ = try query([PendingQuery.Part(statement: Self.commit, parameters: .none)])
    }

    func rollBack() { _ = group([PendingQuery.Part(statement: Self.rollback, parameters: .none)]) }
}
