/// What a statement of a migration does to others while it is applied, or behind it.
package enum HazardEffect: Equatable, Sendable {
    /// Statements of programs that know the old schema fail.
    case breaks
    /// Statements wait while this one reads or writes a whole table.
    case blocks
}
