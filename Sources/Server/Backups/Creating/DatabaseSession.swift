import SwiftletBlockingPool
import SwiftletPostgres
import Synchronization

/// One connection to the database, used on threads that may block, one call at a time.
final class DatabaseSession: Sendable {
    private let connection: Mutex<BlockingConnection>
    private let threads: BlockingPool

    private init(_ connection: consuming sending BlockingConnection, _ threads: BlockingPool) {
        self.connection = Mutex(connection)
        self.threads = threads
    }

    static func open(_ url: String, _ threads: BlockingPool) async throws -> DatabaseSession {
        try await threads.finish { DatabaseSession(try BlockingConnection.connect(to: url), threads) }
    }

    /// A cancelled task waits for it, too.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing BlockingConnection) throws -> Value
    ) async throws -> Value {
        try await threads.finish { try self.connection.withLock { try body($0) } }
    }
}
