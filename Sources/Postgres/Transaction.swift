/// A transaction on a connection of its own, for as long as the closure of ``Database/transaction(_:)`` runs.
///
/// Used after that, every call fails.
package final class Transaction: Sendable {
    init() {}

    package func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        throw .connectionFailure
    }

    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        throw .connectionFailure
    }
}
