import SwiftletAuth
import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb
import struct SwiftletEssentials.Data

/// Signs in at an OpenID Connect issuer by the authorization code flow (OpenID Connect Core 1.0 §3.1).
struct OpenIDProvider: Sendable {
    let issuer: OpenIDIssuer
    let identity: IdentityProvider
    let client: ProviderClient
    let scopes: [String]
    let members: [(String, String)]
    let calls: ProviderCalls

    func authorization(
        _ attempt: ProviderAttempt,
        scopes more: [String],
        _ own: [(String, String)]
    ) async throws(ProviderCalls.Failure) -> String {
        let endpoints = try await issuer.endpoints()
        var query = own + members
        query += [
            ("client_id", client.id), ("redirect_uri", attempt.redirectURI), ("response_type", "code"),
            ("scope", (scopes + client.scopes + more).joined(separator: " ")), ("state", attempt.state),
            ("nonce", Self.hash(attempt.state)),
        ]
        if endpoints.takesChallenge {
            query += [("code_challenge", Self.challenge(attempt.verifier)), ("code_challenge_method", "S256")]
        }
        return endpoints.authorization.withQuery(query)
    }

    func identity(
        code: String,
        _ attempt: ProviderAttempt,
        profile: JSONValue?,
        clock: ServerClock
    ) async throws -> (VerifiedIdentity, ProviderTokens) {
        let endpoints = try await issuer.endpoints()
        let tokens = try await exchange(code, attempt, endpoints)
        guard let idToken = tokens.identity else {
            throw ProviderCalls.Failure(description: "\(endpoints.token) answers without an ID token")
        }
        let verified = try await IdentityTokens([identity], clock: clock)
            .verifiedClaims(
                idToken,
                provider: identity.name,
                issuer: nil,
                nonce: attempt.state,
                accessToken: tokens.access
            )
        var claims = verified.claims.object ?? [:]
        // §5.4: scopes ask for claims of the UserInfo endpoint.
        if claims["email"]?.string == nil, let address = endpoints.userInfo {
            let more = try await calls.get(address, token: tokens.access)
            // §5.3.2: the subjects must be the same.
            guard let subject = claims["sub"]?.string, more["sub"]?.string == subject else {
                throw ProviderCalls.Failure(description: "\(address) answers for another subject")
            }
            for (name, value) in more.object ?? [:] where claims[name]?.isNull ?? true { claims[name] = value }
        }
        if claims["name"]?.string == nil, let name = Self.name(profile) { claims["name"] = .string(name) }
        var found = try IdentityTokens.identity(.object(claims), identity, issuer: verified.issuer)
        found.isEmailOptional = client.isEmailOptional
        return (found, tokens)
    }

    private func exchange(
        _ code: String,
        _ attempt: ProviderAttempt,
        _ endpoints: OpenIDIssuer.Endpoints
    ) async throws(ProviderCalls.Failure) -> ProviderTokens {
        var form = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", attempt.redirectURI)]
        if endpoints.takesChallenge { form.append(("code_verifier", attempt.verifier)) }
        let authorization = try authenticate(&form, endpoints)
        let answer = try await calls.post(endpoints.token, form, authorization: authorization)
        guard let access = answer["access_token"]?.string else {
            throw ProviderCalls.Failure(description: "\(endpoints.token) answers without an access token")
        }
        return ProviderTokens(
            access: access,
            refresh: answer["refresh_token"]?.string,
            identity: answer["id_token"]?.string
        )
    }

    /// Revokes the token, and with it what the user has allowed (RFC 7009 §2.1).
    func revoke(_ refreshToken: String) async throws(ProviderCalls.Failure) {
        let endpoints = try await issuer.endpoints()
        guard let address = endpoints.revocation else {
            throw ProviderCalls.Failure(description: "\(issuer.issuer) names no revocation_endpoint")
        }
        var form = [("token", refreshToken), ("token_type_hint", "refresh_token")]
        let authorization = try authenticate(&form, endpoints)
        try await calls.tell(address, form, authorization: authorization)
    }

    /// Adds the client's credentials to the form, or returns the header with them.
    private func authenticate(
        _ form: inout [(String, String)],
        _ endpoints: OpenIDIssuer.Endpoints
    ) throws(ProviderCalls.Failure) -> String? {
        let secret = try client.secretText()
        guard !endpoints.takesSecretInForm else {
            form += [("client_id", client.id), ("client_secret", secret)]
            return nil
        }
        // RFC 6749 §2.3.1: both are form-encoded first.
        let pair = "\(PercentCoding.encode(client.id)):\(PercentCoding.encode(secret))"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    /// Apple tells the name once, beside the code: `{"name":{"firstName","lastName"}}`.
    private static func name(_ profile: JSONValue?) -> String? {
        let parts = ["firstName", "lastName"].compactMap { profile?["name"]?[$0]?.string }.filter { !$0.isEmpty }
        let name = parts.joined(separator: " ")
        return name.isEmpty || name.utf8.count > 512 ? nil : name
    }

    private static func hash(_ text: String) -> String {
        Hexadecimal.encode((try? MessageDigest.sha256(Array(text.utf8))) ?? [])
    }

    private static func challenge(_ verifier: String) -> String {
        let digest = (try? MessageDigest.sha256(Array(verifier.utf8))) ?? []
        return Base64URL.encode(digest.span)
    }
}
