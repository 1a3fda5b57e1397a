package import SwiftletPostgres

/// What is known of the table behind a route, for the checks at start-up, `swiftlet functions` and `doctor`.
///
/// It only describes: a route does not hold what answers from the table.
package struct TableBacking: Sendable {
    package let name: String
    /// Why no server can start with the route; nil if one can.
    package let fault: Fault?
    /// Tables and columns that are declared but not in the database: `tasks`, `tasks.start_date`.
    package let missing: @Sendable (Schema) -> [String]
    /// What the author has written as SQL, in statements that read no rows.
    package let declaredSQL: @Sendable (Schema) -> [DeclaredSQL]
    /// What the route reads and answers; nil while the database lacks the table.
    package let schema: @Sendable (Schema) -> RouteSchema?

    package enum Fault: Sendable {
        /// SQL with a subquery, which nothing would restrict to the tenant; the rule is the declaration.
        case subquery(rule: String)
        /// A vocabulary that responses cannot be written with; the text names the rule.
        case vocabulary(String)
        /// No parameter of the path can be the parent's id.
        case noParentParameter
    }

    package struct DeclaredSQL: Sendable {
        package let rule: String
        package let statement: String

        package init(rule: String, statement: String) {
            self.rule = rule
            self.statement = statement
        }
    }

    package init(
        name: String,
        fault: Fault?,
        missing: @escaping @Sendable (Schema) -> [String],
        declaredSQL: @escaping @Sendable (Schema) -> [DeclaredSQL],
        schema: @escaping @Sendable (Schema) -> RouteSchema? = { _ in nil }
    ) {
        self.name = name
        self.fault = fault
        self.missing = missing
        self.declaredSQL = declaredSQL
        self.schema = schema
    }
}
