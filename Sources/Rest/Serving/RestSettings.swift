/// How `/rest/v1` is served.
package struct RestSettings: Sendable {
    /// Exposed schemas; the first one is meant where a request names none (`REST_SCHEMAS`).
    package var schemas = ["public"]
    /// Schemas in which functions and types are found beside the request's own.
    package var extraSearchPath = ["public"]
    /// The role of requests without a token; nil refuses them (`REST_ANON_ROLE`).
    package var anonymousRole: String? = "anon"
    /// More rows than these are in no answer (`REST_MAX_ROWS`).
    package var maximumRows: Int?
    /// Whether `sum()` and the like are served (`REST_AGGREGATES`).
    package var allowsAggregates = false
    /// A function that runs first in each transaction, `schema.name` or `name` (`REST_PRE_REQUEST`).
    package var preRequest: String?
    /// Whether `Prefer: tx=rollback` is honoured (`REST_TX_OVERRIDE`).
    package var allowsRollback = false
    /// Whether `Accept: application/vnd.pgrst.plan` is (`REST_PLAN`).
    package var showsPlans = false

    package init() {}

    /// The schemas in which a request's names are found, as `search_path` takes them.
    func searchPath(of schema: String) -> String {
        var names = [schema]
        for name in extraSearchPath where !names.contains(name) { names.append(name) }
        return names.map(StatementText.quoted).joined(separator: ", ")
    }
}
