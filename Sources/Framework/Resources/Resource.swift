import SwiftletPostgres
import SwiftletWeb

/// A table offered over HTTP, scoped by tenant, user or device in every statement.
///
///     private let resource = Resource("company_contacts", scope: .tenant) {
///         Filter("companyId", on: "company_id")
///         Search("first_name", "last_name", "email")
///         Alias("mobile", as: "mobile_phone")
///     }
///
/// Columns, their types and NOT NULL constraints come from the schema cache; the declaration only adds what the
/// database does not know. A resource without a scope does not compile.
public struct Resource: Sendable {
    private let definition: Definition

    /// The table's name without its schema.
    public var table: String { definition.table }
    var scope: RowScope { definition.scope }
    var rules: ResourceRules { definition.rules }
    /// What the rows inside of its rows are.
    var lines: [(rule: LinesRule, resource: Resource)] { definition.lines }

    /// What the declaration makes of the database as it is.
    func plan(in schema: Schema) -> ResourcePlan {
        definition.plans.plan(in: schema) { schema in
            let storable = lines.filter { $0.resource.plan(in: schema).canBeChildren }
            return ResourcePlan(table, scope, rules, storing: storable.map(\.rule), in: schema)
        }
    }

    /// `table` is looked for in the schemas that the catalog lists, when a request needs it: it may be made later.
    /// While the database lacks it, or its scope's or key column, lists are empty and everything else is a 404;
    /// `swiftlet functions`, `doctor` and a warning at start name what is missing.
    public init(
        _ table: Identifier,
        scope: RowScope,
        @ResourceBuilder rules: () -> [ResourceRule] = { [] }
    ) {
        definition = Definition(table: table.name, scope: scope, rules: ResourceRules(rules(), of: table.name, scope))
    }

    private init(_ lines: LinesRule) {
        definition = Definition(table: lines.table.name, scope: lines.scope, rules: lines.rules)
    }

    /// One reference, because each request passes the resource on a dozen times.
    private final class Definition: Sendable {
        let table: String
        let scope: RowScope
        let rules: ResourceRules
        let lines: [(rule: LinesRule, resource: Resource)]
        let plans = PlanCache()

        init(table: String, scope: RowScope, rules: ResourceRules) {
            self.table = table
            self.scope = scope
            self.rules = rules
            lines = rules.lines.map { ($0, Resource($0)) }
        }
    }
}
