import SwiftletBytes
import SwiftletAuth
import SwiftletJSON
import SwiftletWeb

/// Verifies ID tokens of identity providers, for `grant_type=id_token`.
struct IdentityTokens: Sendable {
    /// Allowed clock difference in seconds.
    private static let leeway = 30.0

    private let providers: [IdentityProvider]
    private let clock: ServerClock

    /// A provider without audiences is disabled.
    init(_ providers: [IdentityProvider], clock: ServerClock = .system) {
        self.providers = providers
        self.clock = clock
    }

    /// Whether the provider of that name is configured, for `/settings`.
    func isEnabled(_ name: String) -> Bool {
        providers.contains { $0.name == name && !$0.audiences.isEmpty }
    }

    /// `provider` is a name or an issuer; older clients send `issuer` instead. Throws ``SignInError`` 400 in the OAuth
    /// format for an invalid token, 400 `provider_disabled` for a provider that is not configured,
    /// 400 for one that is not known, 503 if its keys cannot be fetched.
    func verify(
        _ idToken: String,
        provider: String?,
        issuer: String?,
        nonce: String?,
        accessToken: String? = nil
    ) async throws(SignInError) -> VerifiedIdentity {
        let verified = try await verifiedClaims(
            idToken,
            provider: provider,
            issuer: issuer,
            nonce: nonce,
            accessToken: accessToken
        )
        return try Self.identity(verified.claims, verified.source, issuer: verified.issuer)
    }

    /// What a valid token says.
    struct VerifiedClaims: Sendable {
        let claims: JSONValue
        let source: IdentityProvider
        let issuer: String
    }

    /// The same, before an identity is made of it.
    func verifiedClaims(
        _ idToken: String,
        provider: String?,
        issuer: String?,
        nonce: String?,
        accessToken: String?
    ) async throws(SignInError) -> VerifiedClaims {
        guard let wanted = provider ?? issuer else {
            throw .oauth("invalid request", "provider or client_id and issuer required")
        }
        let source = try self.provider(wanted)
        let token = try Self.read(idToken)
        guard let named = token.claims["iss"]?.string, source.isIssuer(named, token.claims) else {
            throw .oauth("invalid request", "Unacceptable issuer in id_token: expected \(source.issuers[0])")
        }
        try await checkSignature(token, source)
        try checkClaims(token, source)
        try Self.checkNonce(token.claims["nonce"]?.string, passed: nonce, source)
        try Self.checkAccessToken(token, accessToken)
        return VerifiedClaims(claims: token.claims, source: source, issuer: named)
    }

    // MARK: The steps

    private static func read(_ text: String) throws(SignInError) -> IssuedToken {
        let bytes = Array(text.utf8)
        do throws(TokenError) {
            let span = bytes.span
            return try IssuedToken(span)
        } catch {
            throw refusal(error)
        }
    }

    private static let knownIssuers = [
        "apple": "https://appleid.apple.com", "google": "https://accounts.google.com",
        "facebook": "https://www.facebook.com", "kakao": "https://kauth.kakao.com",
    ]

    /// `wanted` is a name or an issuer.
    private func provider(_ wanted: String) throws(SignInError) -> IdentityProvider {
        let found = providers.first { $0.name == wanted || $0.issuers.contains(wanted) }
        guard let issuer = found?.issuers.first ?? Self.knownIssuers[wanted] else {
            let name = wanted.prefix(100).filter { $0.isASCII && !$0.isNewline }
            throw SignInError.invalid("Custom OIDC provider \"\(name)\" not allowed")
        }
        guard let found, !found.audiences.isEmpty else {
            throw SignInError(.badRequest, "provider_disabled", "Provider (issuer \"\(issuer)\") is not enabled")
        }
        return found
    }

    private func checkSignature(_ token: IssuedToken, _ source: IdentityProvider) async throws(SignInError) {
        guard let keys = await source.keys.keys() else {
            // Temporary: the client may try again.
            throw SignInError.unavailable("The provider's keys cannot be fetched at the moment", retryAfterSeconds: 5)
        }
        do throws(TokenError) {
            try token.check(keys)
        } catch .unknownKey {
            guard await source.keys.refreshAfterMiss(), let keys = source.keys.current else {
                throw Self.refusal(.unknownKey)
            }
            do throws(TokenError) { try token.check(keys) } catch { throw Self.refusal(error) }
        } catch {
            throw Self.refusal(error)
        }
    }

    private func checkClaims(_ token: IssuedToken, _ source: IdentityProvider) throws(SignInError) {
        do throws(TokenError) {
            try token.check(timeAt: Double(clock.milliseconds()) / 1000, leeway: Self.leeway)
        } catch {
            throw Self.refusal(error)
        }
        let audiences = token.audiences
        guard audiences.contains(where: source.audiences.contains) else {
            throw .oauth(
                "invalid request",
                "Unacceptable audience in id_token: [\(audiences.joined(separator: " "))]"
            )
        }
    }

    /// The app sends the hash of its nonce to the provider, and the nonce itself to us.
    private static func checkNonce(
        _ claimed: String?,
        passed: String?,
        _ source: IdentityProvider
    ) throws(SignInError) {
        guard !source.skipsNonceCheck else { return }
        let claimed = claimed.flatMap { $0.isEmpty ? nil : $0 }
        guard (claimed == nil) == (passed == nil) else {
            throw .oauth("invalid request", "Passed nonce and nonce in id_token should either both exist or not.")
        }
        guard let claimed, let passed else { return }
        guard let hash = try? MessageDigest.sha256(Array(passed.utf8)),
            MessageDigest.isEqual(Hexadecimal.encode(hash), claimed)
        else { throw .oauth("invalid nonce", "Nonces mismatch") }
    }

    /// OpenID Connect Core 1.0 §3.1.3.8: checks that both tokens were issued together.
    private static func checkAccessToken(_ token: IssuedToken, _ accessToken: String?) throws(SignInError) {
        guard let accessToken, let claimed = token.claims["at_hash"]?.string else { return }
        guard let hash = try? MessageDigest.sha256(Array(accessToken.utf8)),
            MessageDigest.isEqual(Base64URL.encode(Array(hash.prefix(16)).span), claimed)
        else { throw .oauth("invalid request", "Bad ID token: the access token is not the one it was made with") }
    }

    static func identity(
        _ claims: JSONValue,
        _ source: IdentityProvider,
        issuer: String
    ) throws(SignInError) -> VerifiedIdentity {
        guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count) else {
            throw .oauth("invalid request", "Missing sub claim in id_token")
        }
        let email = claims["email"]?.string.flatMap { MailAddress(rawValue: $0)?.rawValue.lowercased() }
        let isVerified = email != nil && source.vouchesForEmail(claims)
        var data: JSONObject = ["iss": .string(issuer), "sub": .string(subject), "provider_id": .string(subject)]
        if let email {
            data["email"] = .string(email)
            data["email_verified"] = .bool(isVerified)
        }
        data["phone_verified"] = false
        for name in ["name", "given_name", "family_name", "nickname", "preferred_username", "picture", "locale"] {
            guard let text = claims[name]?.string, text.utf8.count <= 2048 else { continue }
            data[name] = .string(text)
        }
        // Names that GoTrue's clients expect.
        if let name = data["name"] { data["full_name"] = name }
        if let picture = data["picture"] { data["avatar_url"] = picture }
        if let name = data["preferred_username"] { data["user_name"] = name }
        var own: JSONObject = [:]
        if let time = claims["auth_time"]?.double { own["auth_time"] = JSONNumber(time).map(JSONValue.number) }
        if let mark = claims["is_private_email"] { own["is_private_email"] = .bool(isTrue(mark)) }
        if let domain = claims["hd"]?.string { own["hd"] = .string(domain) }
        if !own.isEmpty { data["custom_claims"] = .object(own) }
        return VerifiedIdentity(
            provider: source.name,
            subject: subject,
            email: email,
            isEmailVerified: isVerified,
            identityData: data
        )
    }

    /// Apple sometimes sends booleans as strings.
    static func isTrue(_ value: JSONValue?) -> Bool { value?.bool ?? (value?.string == "true") }

    private static func refusal(_ error: TokenError) -> SignInError {
        .oauth("invalid request", "Bad ID token: \(error)")
    }
}
