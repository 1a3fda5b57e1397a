import Web

/// Which rows of a table a caller can reach at all. The tenant is always part of it.
public struct RowScope: Hashable, Sendable {
    /// The column that must equal the caller's user id, in addition to the tenant; nil when rows are tenant-wide.
    let owner: Identifier?

    /// Every row of the caller's tenant.
    public static let tenant = RowScope(owner: nil)

    /// Only the caller's own rows within the tenant.
    public static func owner(_ column: Identifier) -> RowScope {
        RowScope(owner: column)
    }
}
