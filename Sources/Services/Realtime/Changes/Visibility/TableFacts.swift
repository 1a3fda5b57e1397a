/// What is known of a table, until it changes.
struct TableFacts: Sendable {
    struct Column: Sendable {
        let name: String
        /// `pg_type.typname`.
        let type: String
        let isKey: Bool
        /// nil for types that policies are not compiled with.
        let policyType: PolicyType?
    }

    let relation: UInt32
    let schema: String
    let name: String
    let columns: [Column]
    /// Differs when anything has changed that these facts, or those of roles, depend on.
    let version: String

    var keys: [String] { columns.filter(\.isKey).map(\.name) }
}

/// What one role may see of a table.
struct RoleFacts: Sendable {
    /// Of the table's columns, those that it may select.
    let columns: Set<String>
    /// Row security applies to it.
    let isSecured: Bool
    /// The condition that rows must fulfil, by the policies for this role; nil when there is none to see any by.
    let condition: String?
    /// The same where it is simple, see ``PolicyParser``.
    let compiled: PolicyExpression?
    let readColumns: ReadColumns

    static let nothing = RoleFacts(
        columns: [],
        isSecured: true,
        condition: nil,
        compiled: nil,
        readColumns: ReadColumns()
    )
}
