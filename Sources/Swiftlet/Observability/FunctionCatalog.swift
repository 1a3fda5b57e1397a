package import Postgres

/// What functions offer, for `swiftlet functions` and the drift report: routes with their tables, and what the database
/// lacks of what they declare.
package struct FunctionCatalog: Sendable {
    package struct Entry: Equatable, Sendable {
        package let function: String
        package let method: String
        package let path: String
        /// `user`, `open`, or `level N`.
        package let access: String
        /// nil for a hand-written route.
        package let table: String?
    }

    package let entries: [Entry]
    private let resources: [(function: String, Resource)]

    package init(_ functions: [Function]) {
        entries = functions.flatMap { function in
            function.routes.map { route in
                Entry(
                    function: function.name,
                    method: route.method.rawValue,
                    path: "/\(function.name)\(route.path.text)",
                    access: Self.text(route.access),
                    table: route.resource?.table
                )
            }
        }
        resources = functions.flatMap { function in
            function.routes.compactMap { route in route.resource.map { (function.name, $0) } }
        }
    }

    /// `tasks` or `tasks.start_date`: declared by a function, absent in the database. Sorted, each once.
    package func drift(in schema: Schema) -> [String] {
        Set(resources.flatMap { ResourcePlan($1, schema).missing }).sorted()
    }

    private static func text(_ access: Route.Access) -> String {
        switch access {
        case .everyone: "open"
        case .user: "user"
        case .level(let level): "level \(level)"
        }
    }
}

extension RoutePath {
    /// As it was written, without a trailing slash.
    fileprivate var text: String {
        segments.map { segment in
            switch segment {
            case .literal(let word): "/\(word)"
            case .parameter(let name): "/:\(name)"
            }
        }.joined()
    }
}
