import SwiftletBlockingPool
import SwiftletFiles
import SwiftletPostgres

/// Held while a backup is made or old ones are removed: one at a time for a database, and no file of a row is purged
/// meanwhile. It ends with its connection, whatever becomes of us, and works through a pooler of transactions.
struct BackupLock: Sendable {
    private let session: DatabaseSession

    /// Throws ``BackupError/busy`` if somebody else has it.
    static func take(_ url: String, _ threads: BlockingPool) async throws -> BackupLock {
        let session = try await DatabaseSession.open(url, threads)
        try await session.run { connection in
            do {
                // The purge looks for a moment whether somebody has it. READ COMMITTED holds no row back between statements.
                try connection.execute(
                    """
                    BEGIN ISOLATION LEVEL READ COMMITTED;
                    SET LOCAL idle_in_transaction_session_timeout = 0;
                    SET LOCAL lock_timeout = '3s';
                    SELECT pg_catalog.pg_advisory_xact_lock(\(FilePurge.lock))
                    """
                )
            } catch let error as BlockingConnectionError where error.state == "55P03" {
                throw BackupError.busy
            }
        }
        return BackupLock(session: session)
    }

    /// Throws if it may have been lost.
    func check() async throws {
        try await session.run { try $0.execute("SELECT 1") }
    }

    func release() async {
        try? await session.run { try $0.execute("COMMIT") }
    }
}
