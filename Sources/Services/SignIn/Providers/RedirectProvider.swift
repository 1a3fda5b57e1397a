package import SwiftletOutbound
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// An identity provider that users are sent to, and come back from with a code (RFC 6749 §4.1).
package struct RedirectProvider: Sendable {
    /// The name in `/authorize?provider=` and `identities.provider`.
    package let name: String
    let client: ProviderClient
    private let kind: Kind

    private enum Kind: Sendable {
        case openID(OpenIDProvider)
        case gitHub(GitHubProvider)
    }

    private init(_ name: String, _ client: ProviderClient, _ kind: Kind) {
        self.name = name
        self.client = client
        self.kind = kind
    }

    /// The ID tokens that apps may sign in with; nil for a provider without.
    package var identity: IdentityProvider? {
        guard case .openID(let provider) = kind else { return nil }
        return provider.identity
    }

    /// GitHub's tokens are none that RFC 7009 knows.
    var revokesAtDeletion: Bool {
        guard case .openID = kind else { return false }
        return client.revokesAtDeletion
    }

    // MARK: Providers

    /// Any issuer with discovery.
    package static func openID(
        _ name: String,
        issuer: String,
        _ client: ProviderClient,
        _ http: HTTPEngine
    ) -> RedirectProvider {
        var identity = IdentityProvider(
            name: name,
            issuers: [issuer, issuer.withoutTrailingSlash, issuer.withoutTrailingSlash + "/"],
            audiences: client.ids,
            keys: PublishedKeys(.discovery(issuer: issuer), http)
        )
        identity.skipsNonceCheck = client.skipsNonceCheck
        return openID(identity, OpenIDIssuer(issuer, http), client, ["openid", "email", "profile"], http)
    }

    /// `issuer` is for tests.
    package static func apple(
        _ client: ProviderClient,
        issuer: String? = nil,
        _ http: HTTPEngine
    ) -> RedirectProvider {
        // Apple posts the answer where a name or an address is asked for.
        openID(
            .apple(clientIDs: client.ids, http),
            OpenIDIssuer(
                issuer ?? "https://appleid.apple.com",
                isForManyTenants: true,
                published: issuer == nil ? .apple : nil,
                http
            ),
            client,
            ["email", "name"],
            more: [("response_mode", "form_post")],
            http
        )
    }

    package static func google(_ client: ProviderClient, _ http: HTTPEngine) -> RedirectProvider {
        var identity = IdentityProvider.google(clientIDs: client.ids, http)
        identity.skipsNonceCheck = client.skipsNonceCheck
        return openID(
            identity,
            OpenIDIssuer("https://accounts.google.com", published: .google, http),
            client,
            ["openid", "email", "profile"],
            http
        )
    }

    /// Microsoft Entra. `address` names the tenant: `https://login.microsoftonline.com/` and its id, `common`,
    /// `organizations` or `consumers`.
    package static func azure(
        address: String = "https://login.microsoftonline.com/common",
        _ client: ProviderClient,
        _ http: HTTPEngine
    ) -> RedirectProvider {
        let base = address.withoutTrailingSlash
        let host = base.prefix { $0 != "?" }.split(separator: "/").dropLast().joined(separator: "/")
        let isOfAll = ["common", "organizations", "consumers"].contains { base.hasSuffix("/\($0)") }
        var identity = IdentityProvider(
            name: "azure",
            issuers: ["\(base)/v2.0"],
            audiences: client.ids,
            keys: PublishedKeys(.url("\(base)/discovery/v2.0/keys"), http)
        )
        identity.skipsNonceCheck = client.skipsNonceCheck
        identity.emailRule = .microsoft(isForManyTenants: isOfAll)
        if isOfAll { identity.tenantsBase = host.replacing(":/", with: "://", maxReplacements: 1) + "/" }
        return openID(
            identity,
            OpenIDIssuer("\(base)/v2.0", isForManyTenants: isOfAll, published: .azure(base), http),
            client,
            ["openid", "email", "profile"],
            http
        )
    }

    /// `address` is that of GitHub Enterprise, or nil.
    package static func gitHub(address: String?, _ client: ProviderClient, _ http: HTTPEngine) -> RedirectProvider {
        RedirectProvider("github", client, .gitHub(GitHubProvider(address: address, client, http)))
    }

    private static func openID(
        _ identity: IdentityProvider,
        _ issuer: OpenIDIssuer,
        _ client: ProviderClient,
        _ scopes: [String],
        more: [(String, String)] = [],
        _ http: HTTPEngine
    ) -> RedirectProvider {
        let provider = OpenIDProvider(
            issuer: issuer,
            identity: identity,
            client: client,
            scopes: scopes,
            members: more,
            calls: ProviderCalls(http)
        )
        return RedirectProvider(identity.name, client, .openID(provider))
    }

    // MARK: The way there and back

    /// Where the browser is sent to. `members` are the client's own.
    func authorization(
        _ attempt: ProviderAttempt,
        scopes: [String],
        _ members: [(String, String)]
    ) async throws(ProviderCalls.Failure) -> String {
        switch kind {
        case .openID(let provider): try await provider.authorization(attempt, scopes: scopes, members)
        case .gitHub(let provider): provider.authorization(attempt, scopes: scopes, members)
        }
    }

    /// The identity that the code stands for, with the provider's tokens. `profile` is what came with the code. Throws
    /// ``ProviderCalls/Failure``, or ``SignInError`` for an ID token that is not for us.
    func identity(
        code: String,
        _ attempt: ProviderAttempt,
        profile: JSONValue?,
        clock: ServerClock
    ) async throws -> (VerifiedIdentity, ProviderTokens) {
        switch kind {
        case .openID(let provider): try await provider.identity(code: code, attempt, profile: profile, clock: clock)
        case .gitHub(let provider): try await provider.identity(code: code, attempt)
        }
    }
}

extension RedirectProvider {
    /// Has the provider forget what the refresh token stands for.
    func revoke(_ refreshToken: String) async throws(ProviderCalls.Failure) {
        guard case .openID(let provider) = kind else { return }
        try await provider.revoke(refreshToken)
    }
}
