import SwiftletWeb

/// Equality of a column with what a query parameter names.
struct FilterRule: Sendable {
    let names: [String]
    let column: Identifier
    let meaning: Meaning
    /// The table whose ``column`` it is, and what leads there; nil for the resource's own.
    var target: Target?

    enum Meaning: Sendable {
        /// The parameter's value is the column's.
        case value
        /// `my=true` means that the column equals the caller's id.
        case caller
        /// `view=my` means the same, `view=unassigned` that the column is null.
        case view
    }

    struct Target: Sendable {
        let table: Identifier
        let foreignKey: Identifier
    }
}

struct RangeRule: Sendable {
    /// What the lower bound is called, and the upper one.
    let lower: String
    let upper: String
    /// Whether the upper bound itself is in the range.
    var includesUpper = false
    let column: Identifier
}

struct SortKey: Hashable, Sendable {
    let column: String
    let isDescending: Bool
}
