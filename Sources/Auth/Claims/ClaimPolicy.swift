import JSON

/// The requirements on the claims of a verified token.
struct ClaimPolicy: Sendable {
    /// `aud` must name one of these (RFC 7519 §4.1.3); nil accepts any value and its absence.
    var audiences: [String]?
    /// Seconds by which `exp` and `nbf` are extended, to allow for clock skew.
    var leeway = 0.0

    func check(_ user: User, at now: Double) throws(TokenError) {
        let claims = user.claimPlaces
        let payload = user.payload
        // RFC 7519 §4.1.4: not accepted at or after that time.
        guard let expires = claims.expires else { throw .invalidClaims }
        guard now < expires + leeway else { throw .expired }
        if let notBefore = claims.notBefore, now < notBefore - leeway { throw .notYetValid }
        // The refresh tokens of some issuers are JWTs under the same key, and live for weeks.
        if payload.span.jsonString(at: claims.members[.tokenType]) == "refresh" { throw .notAccessToken }
        if let audiences {
            let named = payload.span.jsonValue(at: claims.members[.audience])
            let names = named?.string.map { [$0] } ?? named?.array?.compactMap(\.string) ?? []
            guard names.contains(where: audiences.contains) else { throw .wrongAudience }
        }
    }
}
