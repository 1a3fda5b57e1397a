import SwiftletPostgres
import SwiftletWeb

/// A change with its values in PostgreSQL's text form, ready to be bound.
struct BoundChange {
    /// In an order of their own, so that the order of a body's keys makes no other statement.
    private(set) var columns: [String] = []
    private(set) var values: [String?] = []
    /// Columns that are set to `now()`.
    private(set) var nowColumns: [String] = []
    let action: WriteAction
    private var entries: [Change.Entry]

    /// Throws ``APIError`` 400 that names each value which its column cannot hold, by the key that the client used.
    init(_ change: Change, _ plan: ResourcePlan, _ table: PlannedTable, faults: [String: String] = [:]) throws(APIError)
    {
        var faults = faults
        action = change.action
        entries = change.entries
        // Room for what the server adds.
        columns.reserveCapacity(change.entries.count + 8)
        values.reserveCapacity(change.entries.count + 8)
        // The tenant is the server's to set, also where a hook copies values that it did not look at.
        for entry in change.entries where entry.column != table.scope.name {
            guard let kind = entry.kind ?? table.columns[entry.column] else { continue }
            switch entry.value {
            case .now: nowColumns.append(entry.column)
            case .json(let json):
                do throws(ValueFault) {
                    insert(entry.column, try kind.parameter(for: json))
                } catch {
                    faults[entry.key ?? plan.fieldName(of: entry.column)] = error.reason
                }
            }
        }
        if nowColumns.count > 1 { nowColumns.sort() }
        guard faults.isEmpty else { throw .validation(faults) }
    }

    /// Keeps the names sorted: by length, which is compared at once, then by letters.
    private mutating func insert(_ column: String, _ value: String?) {
        var position = columns.count
        columns.append(column)
        values.append(value)
        while position > 0, Self.precedes(column, columns[position - 1]) {
            columns.swapAt(position, position - 1)
            values.swapAt(position, position - 1)
            position -= 1
        }
    }

    private static func precedes(_ name: String, _ other: String) -> Bool {
        let (length, otherLength) = (name.utf8.count, other.utf8.count)
        return length == otherLength ? name < other : length < otherLength
    }

    /// Sets a value of the server's, replacing one that a hook has set.
    mutating func stamp(_ column: String, with value: String) {
        if let position = entries.firstIndex(where: { $0.column == column }) { entries.remove(at: position) }
        nowColumns.removeAll { $0 == column }
        if let position = columns.firstIndex(of: column) {
            values[position] = value
        } else {
            columns.append(column)
            values.append(value)
        }
    }

    mutating func stampNow(_ column: String) {
        if let position = columns.firstIndex(of: column) {
            columns.remove(at: position)
            values.remove(at: position)
        }
        if !nowColumns.contains(column) { nowColumns.append(column) }
    }

    /// Whether `column` will be written, and not with null.
    func hasValue(_ column: String) -> Bool {
        if let position = columns.firstIndex(of: column) { return values[position] != nil }
        return nowColumns.contains(column)
    }

    /// Whether `column` will be written, possibly with null.
    func writes(_ column: String) -> Bool {
        columns.contains(column) || nowColumns.contains(column)
    }

    /// The text that will be written to `column`; nil for NULL, for `now()`, and if it is not written.
    func value(of column: String) -> String? {
        columns.firstIndex(of: column).flatMap { values[$0] }
    }

    /// Whether the client or a hook has chosen the value of `column`, rather than the declaration or the server.
    func isChosen(_ column: String) -> Bool {
        entries.contains { $0.column == column && !$0.isDefault }
    }

    /// The key under which the client sent a value for `column`.
    func sentName(of column: String) -> String? {
        entries.first { $0.column == column }?.key
    }

    /// Whether all values have been found to be of their columns' types, as far as these are known.
    func isChecked(for table: PlannedTable) -> Bool {
        !columns.contains { table.columns[$0]?.isJudgedByDatabase == true }
    }

    var isEmpty: Bool { columns.isEmpty && nowColumns.isEmpty }

    func bind(to parameters: inout Parameters) {
        for value in values {
            parameters.append(value)
        }
    }
}

extension Change {
    /// Throws ``APIError`` 400 that names the `faults` found so far and each value that its column cannot hold.
    func requireValid(_ plan: ResourcePlan, _ table: PlannedTable, _ faults: [String: String]) throws(APIError) {
        _ = try BoundChange(self, plan, table, faults: faults)
    }
}
