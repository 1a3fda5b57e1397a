/// A table offered over HTTP, scoped by tenant in every statement.
///
///     private let resource = Resource("company_contacts", scope: .tenant) {
///         filter("companyId", on: "company_id")
///         search("first_name", "last_name", "email")
///         alias("mobile", as: "mobile_phone")
///     }
///
/// Columns, types and what is required come from the schema cache; the declaration says only what is particular. There
/// is no resource without a scope: leaving it out does not compile.
public struct Resource: Sendable {
    private let definition: Definition

    /// The table's name in the exposed schema.
    public var table: String { definition.table }
    var scope: RowScope { definition.scope }
    var rules: ResourceRules { definition.rules }
    var plans: PlanCache { definition.plans }

    public init(
        _ table: Identifier,
        scope: RowScope,
        @ListBuilder<ResourceRule> rules: () -> [ResourceRule] = { [] }
    ) {
        definition = Definition(table: table.name, scope: scope, rules: ResourceRules(rules()))
    }

    /// Behind one reference, as each request passes the resource on a dozen times.
    private final class Definition: Sendable {
        let table: String
        let scope: RowScope
        let rules: ResourceRules
        let plans = PlanCache()

        init(table: String, scope: RowScope, rules: ResourceRules) {
            self.table = table
            self.scope = scope
            self.rules = rules
        }
    }
}

/// Which rows of a table a caller can reach at all. The tenant is always part of it.
public struct RowScope: Hashable, Sendable {
    /// The column that must equal the caller's user id, beside the tenant; nil when rows are tenant-wide.
    let owner: Identifier?

    /// Every row of the caller's tenant.
    public static let tenant = RowScope(owner: nil)

    /// Only the caller's own rows within the tenant.
    public static func owner(_ column: Identifier) -> RowScope {
        RowScope(owner: column)
    }
}
