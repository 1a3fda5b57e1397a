import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

extension AuthAPI {
    /// `GET /authorize?provider=&redirect_to=&scopes=&code_challenge=&code_challenge_method=`: sends the browser to the
    /// provider.
    func authorize(_ request: Request, _ context: Context) async throws -> Response {
        try await leadToProvider(request, context, linking: nil)
    }

    /// `GET /user/identities/authorize`: the same, to add the identity to the caller's account.
    func authorizeLinking(_ request: Request, _ context: Context) async throws -> Response {
        guard settings.allowsManualLinking else { throw SignInError.noManualLinking }
        let caller = try await caller(request)
        return try await leadToProvider(request, context, linking: caller.account.id)
    }

    private func leadToProvider(
        _ request: Request,
        _ context: Context,
        linking userID: String?
    ) async throws -> Response {
        let query = request.query
        let provider = try redirectProvider(query["provider"])
        // Before anything else, because the way back ends there.
        guard settings.siteURL != nil else {
            throw SignInError.invalid("This server has no SITE_URL for sign-ins to lead to")
        }
        let entry = ProviderRedirects.Entry(
            provider: provider.name,
            redirect: redirect(request),
            challenge: try CodeChallenge(
                text: query["code_challenge"],
                method: query["code_challenge_method"]
            ),
            linkedUserID: userID
        )
        // HEAD leads nowhere.
        guard request.method != .head else { return Response(status: .ok) }
        let state = try await ProviderRedirects(database: accounts.database).insert(entry)
        let url: String
        do {
            url = try await provider.authorization(
                attempt(state, provider),
                scopes: Self.scopes(query["scopes"]),
                Self.passedOn(query)
            )
        } catch let failure as ProviderCalls.Failure {
            context.logger.warning(
                "provider unavailable",
                metadata: ["provider": "\(provider.name)", "cause": "\(failure)"]
            )
            throw SignInError.unavailable("The provider cannot be reached at the moment", retryAfterSeconds: 5)
        }
        if query["skip_http_redirect"] == "true" { return .json(.ok, ["url": .string(url)]) }
        return .leading(to: url, status: 302)
    }

    /// Throws ``SignInError`` 400 for a provider that is not configured.
    private func redirectProvider(_ name: String?) throws(SignInError) -> RedirectProvider {
        guard let name, !name.isEmpty else { throw .invalid("Unsupported provider: Provider could not be found") }
        let lower = name.prefix(Self.maximumValueBytes).lowercased()
        if let provider = services.redirects.first(where: { $0.name.lowercased() == lower }) { return provider }
        // The name is the caller's: what is repeated of it has an end.
        guard Self.providers.contains(where: { $0.description == lower }) || lower.hasPrefix("custom:") else {
            throw .invalid("Unsupported provider: Provider \(name.prefix(50)) could not be found")
        }
        throw .invalid("Unsupported provider: provider is not enabled")
    }

    /// What this server makes of the state, the same on the way back.
    func attempt(_ state: String, _ provider: RedirectProvider) throws -> ProviderAttempt {
        let verifier = try services.keys.codeKey.authenticate(Array("provider verifier\n\(state)".utf8))
        let external = (settings.externalURL ?? "http://localhost:8000").withoutTrailingSlash
        return ProviderAttempt(
            state: state,
            redirectURI: provider.client.redirectURI ?? external + "/auth/v1/callback",
            verifier: Base64URL.encode(verifier.span)
        )
    }

    private static let maximumMembers = 20
    private static let maximumValueBytes = 1024

    /// Separated by spaces or commas.
    private static func scopes(_ text: String?) -> [String] {
        (text ?? "").prefix(maximumValueBytes).split { $0 == " " || $0 == "," }.map(String.init)
    }

    /// What the client tells the provider, such as `prompt` or `login_hint`; never what belongs to this server.
    private static func passedOn(_ query: Query) -> [(String, String)] {
        let own: Set<String> = [
            "provider", "scopes", "scope", "redirect_to", "skip_http_redirect", "invite_token", "apikey", "client_id",
            "client_secret", "redirect_uri", "response_type", "response_mode", "state", "nonce", "request",
            "request_uri",
        ]
        return query.filter { name, value in
            !own.contains(name) && !name.hasPrefix("code_") && value.utf8.count <= maximumValueBytes
                && (1...64).contains(name.utf8.count)
                && name.utf8.allSatisfy { PercentCoding.encode(String(UnicodeScalar($0))).utf8.count == 1 }
        }.prefix(maximumMembers).map { ($0.name, $0.value) }
    }
}

extension Response {
    /// A redirect, which nobody keeps.
    static func leading(to url: String, status: Status) -> Response {
        var response = Response(status: status)
        response.headers.append(.location, url.inASCII)
        response.headers.append(.cacheControl, "no-store")
        return response
    }
}

extension SignInError {
    static let noManualLinking = SignInError(
        .notFound,
        "manual_linking_disabled",
        "Manual linking is disabled"
    )
}
