import SwiftletJSON
import Synchronization

/// A trusted issuer with its current keys.
final class ExternalIssuer: Sendable {
    let trusted: TrustedIssuer
    let policy: ClaimPolicy
    private let keys = Mutex(KeySet())

    init(_ trusted: TrustedIssuer) {
        self.trusted = trusted
        policy = ClaimPolicy(audiences: trusted.audiences, leeway: TrustedIssuer.leeway)
    }

    /// Returns whether the keys have changed.
    func replaceKeys(_ keys: KeySet) -> Bool {
        self.keys.withLock { $0.replace(with: keys) }
    }

    /// The user of a token that names this issuer, if the signature is right; ``policy`` is not checked.
    func verify(_ token: IssuedToken) throws(TokenError) -> User {
        try token.check(keys.withLock { $0 })
        return try user(token)
    }

    /// A user with the issuer's claims, except those that grant rights here: these come from the configured paths only,
    /// and never make a platform administrator.
    private func user(_ token: IssuedToken) throws(TokenError) -> User {
        guard var claims = token.claims.object, let subject = claims["sub"]?.string, !subject.isEmpty else {
            throw .invalidClaims
        }
        var access = JSONObject()
        if let tenant = trusted.tenant?.value(in: token.claims).flatMap(Self.text) {
            access.set(.tenantID, .string(tenant))
        }
        if let stated = trusted.roleLevel?.value(in: token.claims).flatMap({ $0.int ?? $0.string.flatMap { Int($0) } })
        {
            access.set(.roleLevel, .number(JSONNumber(min(stated, AccessClaims.highestExternalLevel))))
        }
        if let role = trusted.role?.value(in: token.claims)?.string, !AccessClaims.isPlatformRole(role) {
            access["role"] = .string(role)
        }
        claims["app_metadata"] = .object(access)
        claims["role"] = "authenticated"
        return try User(payload: Array(JSONValue.object(claims).description.utf8), isExternal: true)
    }

    /// Some issuers have numbers for tenants.
    private static func text(_ value: JSONValue) -> String? { value.string ?? value.int.map(String.init) }
}
