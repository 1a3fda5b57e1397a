import SwiftletJSON

/// The requirements on the claims of a verified token.
struct ClaimPolicy: Sendable {
    /// `aud` must name one of these (RFC 7519 §4.1.3); nil accepts any value and its absence.
    var audiences: [String]?
    /// Whether a token without `exp`, which never ends, is refused.
    var requiresExpiry = true
    /// Seconds by which `exp` and `nbf` are extended, to allow for clock skew.
    var leeway = 0.0

    func check(_ user: User, at now: Double) throws(TokenError) {
        let claims = user.claimPlaces
        let payload = user.payload
        // RFC 7519 §4.1.4: not accepted at or after that time.
        if let expires = claims.expires {
            guard now < expires + leeway else { throw .expired }
        } else if requiresExpiry {
            throw .invalidClaims
        }
        if let notBefore = claims.notBefore, now < notBefore - leeway { throw .notYetValid }
        // The refresh tokens of some issuers are JWTs under the same key, and live for weeks.
        if payload.span.jsonString(at: claims.members[.tokenType]) == "refresh" { throw .notAccessToken }
        if !user.isExternal, Self.isLink(payload.span, claims) { throw .notAccessToken }
        if let audiences {
            let named = payload.span.jsonValue(at: claims.members[.audience])
            let names = named?.string.map { [$0] } ?? named?.array?.compactMap(\.string) ?? []
            guard names.contains(where: audiences.contains) else { throw .wrongAudience }
        }
    }

    /// The token of a signed URL may be under the secret of the logins, and whoever has the URL has the token: it opens one
    /// file and signs in nobody.
    private static func isLink(_ payload: Span<UInt8>, _ claims: Claims) -> Bool {
        if claims.members[.url].isPresent { return true }
        guard claims.members[.scope].isPresent else { return false }
        return ["download", "upload"].contains(payload.jsonString(at: claims.members[.scope]))
    }
}
