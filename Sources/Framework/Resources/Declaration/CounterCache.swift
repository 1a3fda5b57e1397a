import SwiftletWeb

/// A number on the parent row that grows with each new child, in the statement that inserts the child. Updating or
/// deleting a child does not change it.
public struct CounterCache: Sendable {
    let parentColumn: Identifier
    /// The child's column to add; nil counts children.
    let childColumn: Identifier?

    /// `parentColumn` grows by one with each child.
    public static func count(_ parentColumn: Identifier) -> CounterCache {
        CounterCache(parentColumn: parentColumn, childColumn: nil)
    }

    /// `parentColumn` grows by the child's `column`.
    public static func sum(of column: Identifier, in parentColumn: Identifier) -> CounterCache {
        CounterCache(parentColumn: parentColumn, childColumn: column)
    }
}
