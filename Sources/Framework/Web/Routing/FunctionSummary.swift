package import SwiftletPostgres

/// A function's routes, and what it declares but the database lacks: for `swiftlet functions`, `doctor` and the warning
/// at start-up.
package struct FunctionSummary: Sendable {
    package struct RouteLine: Hashable, Sendable {
        package let method: String
        /// From the function's name on: `/tasks/:id/comments`.
        package let path: String
        /// `user`, `everyone`, `any key` or `level 4`.
        package let access: String
        /// The table behind the route; nil for a route written by hand.
        package let table: String?
    }

    package let name: String
    package let routes: [RouteLine]
    /// Tables and columns that the database lacks: `tasks`, `tasks.start_date`.
    package let missing: [String]

    package init(_ function: Function, in schema: Schema) {
        name = function.name
        routes = function.routes.map { route in
            RouteLine(
                method: route.method.rawValue,
                path: "/" + function.name + route.path.description,
                access: route.access.description,
                table: route.table?.name
            )
        }
        missing = Set(function.routes.compactMap(\.table).flatMap { $0.missing(schema) }).sorted()
    }
}
