/// A table, view, materialized view, foreign table or composite type.
package struct Table: Hashable, Sendable {
    package let schema: String
    package let name: String
    package let isView: Bool
    package let comment: String?
    /// In the order of the table.
    package let columns: [Column]
    /// Column names; empty when there is no primary key.
    package var primaryKey: [String]
    package let foreignKeys: [ForeignKey]
    /// Columns of each unique constraint or plain unique index, without the primary key.
    package let uniqueKeys: [[String]]
    /// The columns of each constraint and unique index, by its name.
    package let constraints: [String: [String]]
    /// What PostgreSQL would let somebody with all privileges do.
    package let changes: Changes
    /// An extension made it.
    package let isOfExtension: Bool

    private let positions: [String: Int]

    /// As in `pg_relation_is_updatable`: bits by kind of statement.
    package struct Changes: OptionSet, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let update = Changes(rawValue: 4)
        package static let insert = Changes(rawValue: 8)
        package static let delete = Changes(rawValue: 16)
    }

    package init(
        schema: String = "public",
        name: String,
        isView: Bool = false,
        comment: String? = nil,
        columns: [Column],
        primaryKey: [String] = [],
        foreignKeys: [ForeignKey] = [],
        uniqueKeys: [[String]] = [],
        constraints: [String: [String]] = [:],
        changes: Changes = [.insert, .update, .delete],
        isOfExtension: Bool = false
    ) {
        self.schema = schema
        self.name = name
        self.isView = isView
        self.comment = comment
        self.columns = columns
        self.primaryKey = primaryKey
        self.foreignKeys = foreignKeys
        self.uniqueKeys = uniqueKeys
        self.constraints = constraints
        self.changes = changes
        self.isOfExtension = isOfExtension
        let pairs = columns.enumerated().map { ($1.name, $0) }
        positions = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    package var qualifiedName: QualifiedName { QualifiedName(schema, name) }

    package func column(_ name: String) -> Column? {
        positions[name].map { columns[$0] }
    }

    package struct ForeignKey: Hashable, Sendable {
        /// The constraint's.
        package let name: String
        package let columns: [String]
        package let foreignSchema: String
        package let foreignTable: String
        package let foreignColumns: [String]

        package init(
            name: String,
            columns: [String],
            foreignSchema: String = "public",
            foreignTable: String,
            foreignColumns: [String]
        ) {
            self.name = name
            self.columns = columns
            self.foreignSchema = foreignSchema
            self.foreignTable = foreignTable
            self.foreignColumns = foreignColumns
        }
    }
}
