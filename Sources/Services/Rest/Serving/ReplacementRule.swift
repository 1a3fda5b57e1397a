import SwiftletPostgres
import SwiftletHTTP
import SwiftletJSON

/// What `PUT` asks of its query and content: both name one row by its primary key.
struct ReplacementRule {
    let relation: Table
    let query: RestQuery

    /// The change, if it may be made. Throws ``RestError``.
    func check(_ change: Mutation) throws(RestError) -> Mutation {
        var wanted: [String: String] = [:]
        for condition in query.root.conditions {
            guard case .filter(let filter) = condition, !filter.isNegated, filter.field.steps.isEmpty,
                case .compare(.equal, nil, let value) = filter.test
            else { throw Self.badFilters }
            wanted[filter.field.name] = value
        }
        guard !relation.primaryKey.isEmpty, Set(wanted.keys) == Set(relation.primaryKey) else { throw Self.badFilters }
        // `columns` may leave the key out, and a row of another key would be made.
        guard Set(change.columns.map(\.name)).isSuperset(of: relation.primaryKey) else { throw Self.otherKey }
        // Of several objects the first counts.
        let parsed = try? JSONParser.parse(change.content)
        let object = parsed?.object ?? parsed?[0]?.object
        for (name, value) in wanted {
            guard let given = object?[name], (given.string ?? given.description) == value else {
                throw Self.otherKey
            }
        }
        guard change.isList, let first = parsed?[0] else { return change }
        return change.with(first)
    }

    private static let otherKey = RestError(
        400,
        "PGRST115",
        "Payload values do not match URL in primary key column(s)"
    )

    private static let badFilters = RestError(
        .methodNotAllowed,
        "PGRST105",
        "Filters must include all and only primary key columns with 'eq' operators"
    )
}
