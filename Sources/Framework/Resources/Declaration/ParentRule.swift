import SwiftletWeb

/// A row belongs to one row of another resource: a comment to a task.
struct ParentRule: Sendable {
    let table: String
    /// The parent's own, which may be another one than its children's.
    let scope: RowScope
    let foreignKey: Identifier
    let tallies: [CounterCache]
    /// Whether the parent has a parent of its own.
    let isChild: Bool
    /// Whether its children are only written in a transaction that has written it.
    var isWrittenBefore = false
    /// Whether some rows of the tenant can be out of a caller's reach.
    let hidesRows: Bool
    /// Throws ``APIError`` 403 or 404 unless the caller can reach the last of these rows of the parent, each of which must
    /// belong to the one before.
    let requireRow: @Sendable ([String], Context) async throws -> Void
}
