import SwiftletPostgres

/// The values of a row to be written. Columns that this database lacks are left out, because the tables differ between
/// versions of GoTrue.
struct RowValues {
    private let table: StaticString
    private let columns: Set<String>
    private var entries: [(column: StaticString, value: SQL)] = []

    /// A table of the schema `auth`.
    init(_ table: StaticString, _ tables: AuthTables) {
        self.table = table
        columns = tables[table.description]
    }

    mutating func set(_ column: StaticString, _ value: SQL) {
        guard columns.contains(column.description) else { return }
        entries.append((column, value))
    }

    /// `INSERT INTO auth.table (…) VALUES (…)`.
    var insertion: SQL {
        var names = SQL(text: "")
        var values = SQL(text: "")
        for (position, entry) in entries.enumerated() {
            if position > 0 {
                names.append(", ")
                values.append(", ")
            }
            names.append(SQL(text: entry.column.description))
            values.append(entry.value)
        }
        return "INSERT INTO auth.\(SQL(text: table.description)) (\(names)) VALUES (\(values))"
    }

    /// `UPDATE auth.table SET … WHERE …`.
    func update(where condition: SQL) -> SQL {
        var list = SQL(text: "")
        for (position, entry) in entries.enumerated() {
            if position > 0 { list.append(", ") }
            list.append("\(SQL(text: entry.column.description)) = \(entry.value)")
        }
        return "UPDATE auth.\(SQL(text: table.description)) SET \(list) WHERE \(condition)"
    }
}
