import SwiftletPostgres
import SwiftletWeb

extension APIError {
    /// The answer to a write that PostgreSQL refused; columns are named by the keys that clients know.
    init(_ error: PostgresError, _ written: BoundChange?, _ call: ResourceCall) {
        self.init(error)
        guard error.kind == .server else { return }
        let (plan, table) = (call.plan, call.table)
        if let fault = details.first, let columns = table.columns(of: error) {
            // What the client has sent is to blame, if any of it is.
            let sent = columns.filter { written?.sentName(of: $0) != nil }
            details = (sent.isEmpty ? columns : sent).reduce(into: [:]) { $0[$1] = fault.value }
        }
        if details.isEmpty, let reason = Self.reason(error) {
            let tallied = call.resource.rules.parent?.tallies.compactMap(\.childColumn?.name) ?? []
            let suspects = zip(written?.columns ?? [], written?.values ?? []).filter { column, value in
                reason.mayConcern(column, value, table, tallied)
            }
            let verb = suspects.count == 1 ? "is" : "may be"
            details = suspects.reduce(into: [:]) { $0[$1.0] = "\(verb) \(reason.rawValue)" }
        }
        // Clients know nothing of the tenant's column.
        if details.count > 1 { details[table.scope.name] = nil }
        details = details.reduce(into: [:]) { named, fault in
            named[written?.sentName(of: fault.key) ?? plan.fieldName(of: fault.key)] = fault.value
        }
        if code == "VALIDATION_ERROR", !details.isEmpty { self = .validation(details) }
    }

    /// Errors that PostgreSQL reports without a column, although only some columns can cause them.
    private enum Reason: String {
        case tooLong = "too long"
        case outOfRange = "out of range"
        case invalid = "invalid"

        func mayConcern(_ column: String, _ value: String?, _ table: PlannedTable, _ tallied: [String]) -> Bool {
            switch self {
            // Shorter values cannot overflow an index entry.
            case .tooLong: table.indexed.contains(column) && (value?.utf8.count ?? 0) > 500
            case .outOfRange: tallied.contains(column) || table.columns[column]?.isNumeric ?? false
            case .invalid: table.columns[column]?.isJudgedByDatabase ?? false
            }
        }
    }

    private static func reason(_ error: PostgresError) -> Reason? {
        switch error.state {
        case .programLimitExceeded: .tooLong
        case .numericValueOutOfRange: .outOfRange
        default: error.state.errorClass == "22" ? .invalid : nil
        }
    }
}

extension PlannedTable {
    /// The columns of the constraint that is violated: PostgreSQL names them in an error's detail at most, in its own
    /// language. nil if it is another table's, whose row refers to this one.
    fileprivate func columns(of error: PostgresError) -> [String]? {
        guard error.table == name, error.column == nil else { return nil }
        return error.constraint.flatMap { constraints[$0] }
    }
}

extension ColumnKind {
    /// Integers are checked before they are sent.
    fileprivate var isNumeric: Bool {
        self == .numeric || self == .float
    }

    /// Types whose values only PostgreSQL can check.
    var isJudgedByDatabase: Bool {
        switch self {
        case .other: true
        case .array(let element): element.isJudgedByDatabase
        default: false
        }
    }
}
