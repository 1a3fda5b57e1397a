import SwiftletPostgres

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
    /// `aud` of a token must name it, where the token has one (`REST_JWT_AUD`).
    package var audience: String?
    /// How transactions end (`REST_TX_END`).
    package var ending = TransactionEnding()
    /// Whether `Accept: application/vnd.pgrst.plan` is (`REST_PLAN`).
    package var showsPlans = false
    /// Settings of every transaction, such as `app.settings.app_host` (`PGRST_APP_SETTINGS_…`).
    package var transactionSettings: [(name: String, value: String)] = []
    /// Whether answers tell how long their steps took (`REST_SERVER_TIMING`).
    package var showsTimings = false
    /// What `/rest/v1/` describes (`REST_OPENAPI`).
    package var description = Description.followsPrivileges
    /// Whether the description says that tokens are taken (`REST_OPENAPI_SECURITY`).
    package var describesSecurity = false
    /// The address that the description names: that of a proxy (`REST_OPENAPI_URL`).
    package var describedURL: String?
    /// A function whose result is the answer of the root, `schema.name` or `name` (`REST_ROOT_SPEC`).
    package var rootFunction: String?
    /// A header field of requests that their answers repeat (`REST_TRACE_HEADER`).
    package var traceField: String?
    /// Whether errors have `details` and `hint` (`REST_ERROR_VERBOSITY`).
    package var tellsDetails = true

    package struct TransactionEnding: Sendable {
        /// Where the client does not say.
        package var isUndone: Bool
        /// Whether `Prefer: tx=…` is honored.
        package var isOverridable: Bool

        package init(isUndone: Bool = false, isOverridable: Bool = false) {
            self.isUndone = isUndone
            self.isOverridable = isOverridable
        }

        /// PostgREST's words.
        package init?(mode: String) {
            switch mode.lowercased() {
            case "commit": self.init()
            case "commit-allow-override": self.init(isOverridable: true)
            case "rollback": self.init(isUndone: true)
            case "rollback-allow-override": self.init(isUndone: true, isOverridable: true)
            default: return nil
            }
        }
    }

    package enum Description: Sendable {
        /// What the caller has a privilege on.
        case followsPrivileges
        case everything
        /// The root answers 404.
        case off
    }

    package init() {}

    /// More rows than these are not counted for `count=estimated`, but guessed.
    var largestExactCount: Int { maximumRows ?? 1000 }

    /// The schemas in which a request's names are found, as `search_path` takes them.
    func searchPath(of schema: String) -> String {
        var names = [schema]
        for name in extraSearchPath where !names.contains(name) { names.append(name) }
        return names.map(\.quotedIdentifier).joined(separator: ", ")
    }
}
