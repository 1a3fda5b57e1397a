/// A table, view, materialized view or foreign table.
package struct Table: Hashable, Sendable {
    package let schema: String
    package let name: String
    package let isView: Bool
    /// In the order of the table.
    package let columns: [Column]
    /// Column names; empty when there is no primary key.
    package let primaryKey: [String]
    package let foreignKeys: [ForeignKey]
    /// Columns of each unique constraint or plain unique index, without the primary key.
    package let uniqueKeys: [[String]]
    /// The columns of each constraint and unique index, by its name.
    package let constraints: [String: [String]]

    private let positions: [String: Int]

    package init(
        schema: String = "public",
        name: String,
        isView: Bool = false,
        columns: [Column],
        primaryKey: [String] = [],
        foreignKeys: [ForeignKey] = [],
        uniqueKeys: [[String]] = [],
        constraints: [String: [String]] = [:]
    ) {
        self.schema = schema
        self.name = name
        self.isView = isView
        self.columns = columns
        self.primaryKey = primaryKey
        self.foreignKeys = foreignKeys
        self.uniqueKeys = uniqueKeys
        self.constraints = constraints
        let pairs = columns.enumerated().map { ($1.name, $0) }
        positions = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    package func column(_ name: String) -> Column? {
        positions[name].map { columns[$0] }
    }

    package struct ForeignKey: Hashable, Sendable {
        package let columns: [String]
        package let foreignSchema: String
        package let foreignTable: String
        package let foreignColumns: [String]

        package init(
            columns: [String],
            foreignSchema: String = "public",
            foreignTable: String,
            foreignColumns: [String]
        ) {
            self.columns = columns
            self.foreignSchema = foreignSchema
            self.foreignTable = foreignTable
            self.foreignColumns = foreignColumns
        }
    }
}
