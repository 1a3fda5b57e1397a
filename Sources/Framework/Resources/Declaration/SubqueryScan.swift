import SwiftletWeb

/// Finds subqueries in the SQL that functions declare.
///
/// They would read rows of all tenants. A column of the name `select` or `table` counts as one, which is harmless: the
/// author is told before anything is served.
enum SubqueryScan {
    static func finds(in expression: String) -> Bool {
        expression.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains {
            $0 == "select" || $0 == "table"
        }
    }
}
