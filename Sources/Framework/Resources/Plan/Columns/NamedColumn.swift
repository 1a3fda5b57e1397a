import SwiftletPostgres
import SwiftletWeb

/// A column that clients see, and how they know it.
struct NamedColumn {
    let column: Column
    let kind: ColumnKind
    /// Its own name or the one it is renamed to, then its aliases.
    let keys: [String]

    var name: String { column.name }
    var key: String { keys[0] }
}

extension ResourceRules {
    /// The columns of `table` that clients see, in its order.
    func namedColumns(of table: Table) -> [NamedColumn] {
        table.columns.filter { !hidden.contains($0.name) && !isShadowed($0.name, in: table) }.map { column in
            let aliases = self.aliases.filter { $0.column == column.name && !isShown($0.key, in: table) }
            let keys = [renames[column.name] ?? column.name] + aliases.map(\.key)
            return NamedColumn(column: column, kind: ColumnKind(column), keys: keys)
        }
    }

    /// Whether clients see the column of that name, under that name.
    private func isShown(_ column: String, in table: Table) -> Bool {
        table.column(column) != nil && !hidden.contains(column) && renames[column] == nil
            && !isShadowed(column, in: table)
    }

    /// Whether the table has another column that is declared to go by this one's name.
    private func isShadowed(_ column: String, in table: Table) -> Bool {
        renames[column] == nil
            && renames.contains { other, key in
                key == column && table.column(other) != nil && !hidden.contains(other)
            }
    }
}
