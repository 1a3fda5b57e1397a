internal import JSON
internal import Synchronization

/// A trusted issuer with its current keys, and the tokens that were verified with them.
final class ExternalIssuer: Sendable {
    let trusted: TrustedIssuer
    private let policy: ClaimPolicy
    private let tokens = Mutex(VerifiedTokens(keys: KeySet()))

    init(_ trusted: TrustedIssuer) {
        self.trusted = trusted
        policy = ClaimPolicy(
            issuers: [trusted.issuer],
            audiences: trusted.audiences,
            leeway: TrustedIssuer.leeway
        )
    }

    func replaceKeys(_ keys: KeySet) {
        tokens.withLock { $0 = VerifiedTokens(keys: keys, generation: $0.generation + 1) }
    }

    func verify(_ token: IssuedToken, _ text: Span<UInt8>, at now: Double) throws(TokenError) -> User {
        guard let digest = TokenDigest(text) else { throw .badSignature }
        let (cached, keys, generation) = tokens.withLock { ($0[digest], $0.keys, $0.generation) }
        if let cached {
            try policy.check(cached, at: now)
            return cached
        }
        try token.check(keys)
        let user = try user(token)
        try policy.check(user, at: now)
        tokens.withLock { $0.insert(user, for: digest, verifiedBy: generation, at: now) }
        return user
    }

    /// A user with the issuer's claims, except those that grant rights here: these come from the configured paths only,
    /// and never make a platform administrator.
    private func user(_ token: IssuedToken) throws(TokenError) -> User {
        guard var claims = token.claims.object, let subject = claims["sub"]?.string, !subject.isEmpty else {
            throw .invalidClaims
        }
        var access = JSONObject()
        if let tenant = trusted.tenant?.value(in: token.claims).flatMap(Self.text) {
            access["tenant_id"] = .string(tenant)
            access["tenantId"] = .string(tenant)
        }
        if let stated = trusted.roleLevel?.value(in: token.claims).flatMap({ $0.int ?? $0.string.flatMap { Int($0) } })
        {
            let level = min(stated, AccessClaims.highestExternalLevel)
            access["role_level"] = .number(JSONNumber(level))
            access["roleLevel"] = .number(JSONNumber(level))
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
