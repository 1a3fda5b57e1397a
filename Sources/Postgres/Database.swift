package import EventLoop

/// The door to PostgreSQL: a pool of pipelined connections on each event loop.
///
/// A query runs on the pool of the loop it is asked on, or of some loop when asked from elsewhere. Every call ends: with
/// rows, or with an error after the configured deadline at the latest, or when the caller's task is cancelled.
package final class Database: Sendable {
    package let configuration: DatabaseConfiguration
    private let statements = StatementCache()

    package init(
        configuration: DatabaseConfiguration,
        group: EventLoopGroup,
        onEvent: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.configuration = configuration
    }

    /// Begins to connect and returns; queries asked meanwhile wait for `outageGrace`.
    package func start() async {}

    /// Runs one statement.
    package func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        throw .connectionFailure
    }

    /// Runs two read-only statements on one connection in one round trip; they see the same snapshot time.
    package func queryPair(
        _ first: Statement,
        _ firstParameters: consuming Parameters,
        _ second: Statement,
        _ secondParameters: consuming Parameters
    ) async throws(PostgresError) -> RowsPair {
        throw .connectionFailure
    }

    /// Runs all statements in one transaction and one round trip: all happen, or none.
    package func queryGroup(_ group: [(Statement, Parameters)]) async throws(PostgresError) -> RowsGroup {
        throw .connectionFailure
    }

    /// Runs a statement written in place. A text that is not plainly a read counts as a write and is never repeated.
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        throw .connectionFailure
    }

    /// Runs the body inside BEGIN and COMMIT on a connection of its own; an error or a cancellation rolls back.
    package func transaction<Value>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        throw PostgresError.connectionFailure
    }

    /// What the catalog said last.
    package var schema: Schema { .empty }

    /// Reads the catalog again; calls at the same time share one reading.
    package func reloadSchema() async throws(PostgresError) {}

    /// For a query that missed a table or column: reads the catalog again unless that was done moments ago, and tells
    /// whether it differs now.
    package func reloadSchemaAfterMiss() async throws(PostgresError) -> Bool { false }

    /// True when the server answers a round trip.
    package func ping() async -> Bool { false }

    /// One entry per loop.
    package func statistics() async -> [DatabaseStatistics] { [] }

    /// Fails what waits, and closes every connection.
    package func shutdown() async {}
}
