import Auth
import HTTP
import Web

/// Who asks: the database role and the claims that row policies read.
struct RestCaller: Sendable {
    let role: String
    let claims: [UInt8]
    /// Without a token of somebody.
    let isAnonymous: Bool

    /// Throws ``RestError`` 401.
    static func identify(
        _ request: Request,
        _ authentication: Authentication,
        _ settings: RestSettings
    ) async throws(RestError) -> RestCaller {
        switch await authentication.identify(request) {
        case .success(let user):
            request.state?.logCaller(user.id.isEmpty ? user.role : user.id, tenant: user.tenant?.rawValue)
            if user.isAnonymousKey, let role = settings.anonymousRole, user.role == "anon" {
                return RestCaller(role: role, claims: user.payload, isAnonymous: true)
            }
            // Others may sign in users, but nobody who passes the row policies.
            guard !(user.isExternal && user.isServiceRole) else {
                throw .badToken("service_role is not accepted from another issuer")
            }
            // To PostgreSQL it means the role of the connection itself (its manual, SET ROLE).
            guard user.role != "none" else { throw .badToken("it names no role") }
            return RestCaller(role: user.role, claims: user.payload, isAnonymous: false)
        case .failure(.missing):
            guard let role = settings.anonymousRole else { throw .anonymousIsOff }
            return RestCaller(role: role, claims: Array(#"{"role":"\#(role)"}"#.utf8), isAnonymous: true)
        case .failure(.expired): throw .expiredToken
        case .failure(let error): throw .badToken("\(error)")
        }
    }
}

extension RestError {
    fileprivate static let expiredToken = RestError(.unauthorized, "PGRST303", "JWT expired").adding(
        .wwwAuthenticate,
        "Bearer error=\"invalid_token\", error_description=\"JWT expired\""
    )

    fileprivate static func badToken(_ reason: String) -> RestError {
        RestError(.unauthorized, "PGRST301", "The token is not accepted: \(reason)").adding(
            .wwwAuthenticate,
            "Bearer error=\"invalid_token\", error_description=\"\(reason)\""
        )
    }
}
