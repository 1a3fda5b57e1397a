import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `GET /verify?token=…&type=…&redirect_to=…`: the link in a mail. Redirects to the app with the session or the
    /// error in the fragment, which browsers do not send to servers.
    ///
    /// A link that is bound to a ``CodeChallenge`` leads to a code in the query instead, which is nothing without the
    /// verifier. Its errors are in both places, as in GoTrue.
    func verifyLink(_ request: Request, _ context: Context) async throws -> Response {
        // Mail scanners send HEAD, which must not redeem the token.
        guard request.method != .head else { return Response(status: .ok) }
        guard let type = request.query["type"], !type.isEmpty else {
            throw SignInError.invalid("Verify requires a verification type")
        }
        guard let link = request.query["token_hash"] ?? request.query["token"], !link.isEmpty else {
            throw SignInError.invalid("Verify requires a token or a token hash")
        }
        // Before redeeming, which cannot be undone.
        guard let target = redirect(request) ?? settings.siteURL else {
            throw SignInError.invalid("This server has no SITE_URL for links to lead to")
        }
        let isBound = OneTimeToken.isBound(link: link)
        let location: String
        do {
            let token = try services.tokens.presented(link: link, type: type)
            let members =
                isBound
                ? try await issueCode(token, request).map { [("code", $0)] }
                : try await sessionMembers(token, type, request)
            if let members {
                location = isBound ? target.withQuery(members) : target.withoutFragment + "#" + members.inQueryFormat
            } else {
                location = Self.leading(to: target, [("message", Self.halfway)], isBound: isBound)
            }
        } catch let error as SignInError where error.status.rawValue < 500 {
            let members = [
                ("error", "access_denied"), ("error_code", error.code.rawValue), ("error_description", error.message),
            ]
            location = Self.leading(to: target, members, isBound: isBound)
        }
        var response = Response(status: 303)
        response.headers.append(.location, location.inASCII)
        return response
    }

    /// Messages are in the fragment, and for clients of the other flow also in the query. The last member marks the
    /// page as ours, as in GoTrue.
    private static func leading(to target: String, _ members: [(String, String)], isBound: Bool) -> String {
        let page = target.withoutFragment
        return (isBound ? page.withQuery(members) : page) + "#" + (members + [("sb", "")]).inQueryFormat
    }

    private func sessionMembers(
        _ token: OneTimeTokens.Presented,
        _ type: String,
        _ request: Request
    ) async throws -> [(String, String)]? {
        guard let session = try await openSession(token, services.client(request)) else { return nil }
        request.noteCaller(session.account)
        let access = try await services.issue(session)
        return [
            ("access_token", access.token), ("expires_at", String(access.expires)),
            ("expires_in", String(access.lifetimeSeconds)), ("refresh_token", session.refreshToken),
            ("token_type", "bearer"), ("type", type),
        ]
    }

    /// Redeems the token and applies what it confirms. The session is opened when the code is exchanged.
    private func issueCode(_ token: OneTimeTokens.Presented, _ request: Request) async throws -> String? {
        try await redeem(token) { proof in
            try await proof.transaction.run(proof.changes)
            request.noteCaller(proof.account)
            guard proof.isComplete else { return nil }
            return try await FlowStates(in: proof.transaction).issueCode(for: proof.purpose, of: proof.account.id)
        }
    }
}
