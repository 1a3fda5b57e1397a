package import SwiftletAuth
package import SwiftletHTTP
package import SwiftletPostgres

/// Who asks a service that acts in the database as its callers: the role and the claims that row policies read.
package struct DatabaseCaller: Sendable {
    package let role: String
    package let claims: [UInt8]
    /// Whose token it is; nil without one.
    package let user: User?
    /// The claim `sub`; empty without one.
    package let userID: String
    /// Without a token of somebody.
    package let isAnonymous: Bool
    /// Whose share of the database's connections it takes: the user's, else the address's.
    package let guest: Guest

    /// For what needs no role.
    package static let nobody = DatabaseCaller(role: "", claims: [], guest: Guest(""))

    /// Why a request has no caller.
    package enum Refusal: Error {
        /// It has no token, and nobody is served without one.
        case missing
        case token(TokenError)
        /// A genuine token of somebody who may not act here; safe for clients.
        case refused(String)
    }

    /// `anonymousRole` is that of requests without a token and of the anonymous key; nil refuses the former. With an
    /// `audience`, tokens must be meant for it, as far as they name one.
    package static func identify(
        _ request: Request,
        _ authentication: Authentication,
        anonymousRole: String?,
        audience: String? = nil
    ) async throws(Refusal) -> DatabaseCaller {
        switch await authentication.identify(request) {
        case .success(let user):
            if let audience, !user.isMeant(for: audience) { throw .token(.wrongAudience) }
            return try DatabaseCaller(user, request, anonymousRole: anonymousRole)
        case .failure(.missing):
            guard let role = anonymousRole else { throw .missing }
            return .anonymous(role, request)
        case .failure(let error): throw .token(error)
        }
    }

    /// Somebody without a token.
    package static func anonymous(_ role: String, _ request: Request) -> DatabaseCaller {
        DatabaseCaller(
            role: role,
            claims: Array(#"{"role":"\#(role)"}"#.utf8),
            guest: Guest(request.remoteAddress)
        )
    }

    private init(_ user: User, _ request: Request, anonymousRole: String?) throws(Refusal) {
        request.state?.logCaller(user.id.isEmpty ? user.role : user.id, tenant: user.tenant?.rawValue)
        claims = user.payload
        self.user = user
        userID = user.id
        guest = Guest(user.id.isEmpty ? request.remoteAddress : user.id)
        if user.isAnonymousKey, let anonymousRole {
            role = anonymousRole
            isAnonymous = true
            return
        }
        // Others may sign in users, but nobody who passes the row policies.
        guard !(user.isExternal && user.isServiceRole) else {
            throw .refused("service_role is not accepted from another issuer")
        }
        // To PostgreSQL it means the role of the connection itself (its manual, SET ROLE).
        guard user.role != "none" else { throw .refused("it names no role") }
        role = user.role
        isAnonymous = false
    }

    /// Somebody without a token.
    private init(role: String, claims: [UInt8], guest: Guest) {
        self.role = role
        self.claims = claims
        user = nil
        userID = ""
        isAnonymous = true
        self.guest = guest
    }
}

extension User {
    /// As in PostgREST: a token without an audience is meant for everybody.
    fileprivate func isMeant(for audience: String) -> Bool {
        guard let claim = self.audience, !claim.isNull else { return true }
        if let list = claim.array { return list.isEmpty || list.contains { $0.string == audience } }
        return claim.string == audience
    }
}
