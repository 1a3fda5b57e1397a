import Logging
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

extension AuthAPI {
    /// `/callback?code=&state=`: the way back from the provider, which leads to the app with a session in the fragment,
    /// or with a code in the query for a client that has sent a challenge. Apple posts the same as a form.
    func providerCallback(_ request: Request, _ context: Context) async throws -> Response {
        // What looks at links must not use them up.
        guard request.method != .head else { return Response(status: .ok) }
        guard let site = settings.siteURL else {
            throw SignInError.invalid("This server has no SITE_URL for sign-ins to lead to")
        }
        let query = request.method == .post ? Query(request.body) : request.query
        guard let text = query["state"], !text.isEmpty else {
            return Self.lost(site, "bad_oauth_callback", "OAuth state parameter missing")
        }
        guard let state = RandomID.normalized(text),
            let entry = try await ProviderRedirects(database: accounts.database).take(state),
            let provider = services.redirects.first(where: { $0.name == entry.provider })
        else { return Self.lost(site, "bad_oauth_state", "OAuth state is invalid or has expired") }
        let target = entry.redirect ?? site
        do {
            let (identity, tokens) = try await identity(query, try attempt(state, provider), provider)
            return try await enter(identity, tokens, entry, provider, target, request)
        } catch {
            guard !request.wasAbandoned(error) else { throw error }
            context.logger.info(
                "sign-in at a provider failed",
                metadata: ["provider": "\(provider.name)", "cause": "\(error)"]
            )
            return Self.leading(to: target, Self.members(of: error))
        }
    }

    private func identity(
        _ query: Query,
        _ attempt: ProviderAttempt,
        _ provider: RedirectProvider
    ) async throws -> (VerifiedIdentity, ProviderTokens) {
        if let error = query["error"], !error.isEmpty {
            throw Refusal(error: error, text: query["error_description"] ?? "")
        }
        guard let code = query["code"], !code.isEmpty, code.utf8.count <= 4096 else {
            throw SignInError(
                .badRequest,
                "bad_oauth_callback",
                "OAuth callback with missing authorization code"
            )
        }
        let profile = query["user"].flatMap { try? JSONParser.parse(Array($0.utf8)) }
        return try await provider.identity(code: code, attempt, profile: profile, clock: sessions.clock)
    }

    private func enter(
        _ identity: VerifiedIdentity,
        _ tokens: ProviderTokens,
        _ entry: ProviderRedirects.Entry,
        _ provider: RedirectProvider,
        _ target: String,
        _ request: Request
    ) async throws -> Response {
        let (accounts, sessions, client) = (accounts, sessions, services.client(request))
        guard let challenge = entry.challenge else {
            let entrance = IdentityEntrance(api: self, client: client) { id, changes in
                try await sessions.open(for: id, by: .oauth, client: client) { tables in
                    changes(tables) + ProviderGrants.keeping(tokens, of: id, provider, tables.auth)
                }
            }
            let session = try await enter(identity, entry, entrance)
            request.noteCaller(session.account)
            return .leading(
                to: target.withoutFragment + "#" + (try await members(session, tokens)).inQueryFormat,
                status: 302
            )
        }
        let entrance = IdentityEntrance(api: self, client: client) { id, changes in
            let code = RandomID.make()
            try await accounts.transaction { transaction in
                guard transaction.tables.hasFlowStates else {
                    throw SignInError(.internalServerError, "unexpected_failure", "This database cannot store codes")
                }
                try await transaction.run(
                    changes(transaction.tables)
                        + ProviderGrants.keeping(tokens, of: id, provider, transaction.tables.auth) + [
                            FlowStates.insertion(
                                ofCode: code,
                                challenge,
                                of: id,
                                provider: entry.provider,
                                tokens,
                                transaction.tables
                            )
                        ]
                )
            }
            return code
        }
        return .leading(to: target.withQuery([("code", try await enter(identity, entry, entrance))]), status: 302)
    }

    private func enter<Value>(
        _ identity: VerifiedIdentity,
        _ entry: ProviderRedirects.Entry,
        _ entrance: IdentityEntrance<Value>
    ) async throws -> Value {
        guard let userID = entry.linkedUserID else { return try await entrance.enter(identity) }
        return try await entrance.link(identity, to: accounts.existing(id: userID), refusingRepetition: true)
    }

    private func members(_ session: OpenSession, _ tokens: ProviderTokens) async throws -> [(String, String)] {
        let access = try await services.issue(session)
        var members = [
            ("access_token", access.token), ("expires_at", String(access.expires)),
            ("expires_in", String(access.lifetimeSeconds)), ("provider_token", tokens.access),
        ]
        if let refresh = tokens.refresh, !refresh.isEmpty { members.append(("provider_refresh_token", refresh)) }
        return members + [("refresh_token", session.refreshToken), ("sb", ""), ("token_type", "bearer")]
    }

    // MARK: Errors

    /// What the provider refuses, such as `access_denied`, because the user has pressed Cancel.
    private struct Refusal: Error {
        let error: String
        let text: String
    }

    /// Without a state, nobody knows where the sign-in has begun.
    private static func lost(_ site: String, _ code: String, _ text: String) -> Response {
        .leading(
            to: site.withQuery([("error", "invalid_request"), ("error_code", code), ("error_description", text)]),
            status: 303
        )
    }

    /// In the query and in the fragment, as in GoTrue. The last member marks the page as ours.
    private static func leading(to target: String, _ members: [(String, String)]) -> Response {
        let page = target.withoutFragment.withQuery(members)
        let marks = members.filter { !$0.1.isEmpty } + [("sb", "")]
        return .leading(to: page + "#" + marks.inQueryFormat, status: 302)
    }

    private static func members(of error: any Error) -> [(String, String)] {
        switch error {
        case let refusal as Refusal:
            let word = refusal.error.prefix(64).filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            // Clients know a failed sign-in by this member.
            return [
                ("error", word.isEmpty ? "server_error" : word),
                ("error_description", String(refusal.text.prefix(512))),
            ]
        case is ProviderCalls.Failure: return members(ofRefusal: unexpected("Unable to exchange external code"))
        // What is wrong with the provider's ID token is no fault of the app's request.
        case let error as SignInError where error.isOAuth:
            return members(ofRefusal: unexpected("Error getting user profile from external provider"))
        default: return members(ofRefusal: SignInError(error))
        }
    }

    private static func unexpected(_ text: String) -> SignInError {
        SignInError(.internalServerError, "unexpected_failure", text)
    }

    private static func members(ofRefusal error: SignInError) -> [(String, String)] {
        [("error", word(error)), ("error_code", error.code.rawValue), ("error_description", error.message)]
    }

    /// RFC 6749 §4.1.2.1.
    private static func word(_ error: SignInError) -> String {
        let refusals: Set<String> = ["signup_disabled", "user_banned", "provider_email_needs_verification"]
        if error.status == .forbidden || refusals.contains(error.code.rawValue) { return "access_denied" }
        return error.status == .badRequest ? "invalid_request" : "server_error"
    }
}
