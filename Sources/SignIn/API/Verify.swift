import HTTP
import Postgres
import Swiftlet

extension AuthAPI {
    /// `POST /verify`: a session for the code or the token hash from a mail.
    func verify(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard let type = try fields.text("type") else {
            throw SignInError.invalid("Verify requires a verification type")
        }
        let token: OneTimeTokens.Presented
        if let hash = try fields.text("token_hash") {
            token = try letters.tokens.presented(link: hash, type: type)
        } else {
            guard let code = try fields.text("token") else {
                throw SignInError.invalid("Verify requires a token or a token hash")
            }
            guard let email = try fields.email() else {
                throw SignInError.invalid(
                    "Only an email address and a token, or a token hash, should be provided on verify"
                )
            }
            token = try await checked(code.trimmingBlanks() ?? "", email, type, ClientInfo(request))
        }
        return try services.answer(try await redeem(token, ClientInfo(request)), to: request)
    }

    /// Checks the code. Wrong ones count for the rate limit, over all codes of the account.
    private func checked(
        _ code: String,
        _ email: String,
        _ type: String,
        _ client: ClientInfo
    ) async throws -> OneTimeTokens.Presented {
        let tokens = try letters.tokens
        try await services.limits.admit(account: email, by: .code, address: client.address)
        do {
            return try await tokens.presented(code: code, address: email, type: type)
        } catch let error as SignInError where error == .expiredCode {
            try await services.limits.recordFailure(account: email, by: .code, address: client.address)
            throw error
        }
    }

    /// `GET /verify?token=…&type=…&redirect_to=…`: the link in a mail. Redirects to the app with the session or the
    /// error in the fragment, which browsers do not send to servers.
    func verifyLink(_ request: Request, _ context: Context) async throws -> Response {
        // Mail scanners send HEAD, which must not redeem the token.
        guard request.method != .head else { return Response(status: .ok) }
        // First of all, because redeeming cannot be undone.
        guard let target = redirect(request) ?? settings.siteURL else {
            throw SignInError.invalid("This server has no SITE_URL for links to lead to")
        }
        let query = request.query
        let fragment: String
        do {
            let hash = query["token_hash"] ?? query["token"] ?? ""
            let type = query["type"] ?? ""
            let session = try await redeem(try letters.tokens.presented(link: hash, type: type), ClientInfo(request))
            request.noteCaller(session.account)
            let access = try services.accessTokens.issue(session)
            fragment =
                "access_token=\(access.token)&expires_at=\(access.expires)&expires_in=\(access.lifetimeSeconds)"
                + "&refresh_token=\(session.refreshToken)&token_type=bearer&type=\(PercentCoding.encode(type))"
        } catch let error as SignInError where error.status.rawValue < 500 {
            fragment =
                "error=access_denied&error_code=\(error.code.rawValue)"
                + "&error_description=\(PercentCoding.encode(error.message))"
        }
        var response = Response(status: 303)
        response.headers.append(.location, target.withoutFragment.inASCII + "#" + fragment)
        return response
    }

    /// Redeems the token, applies the change that it confirms, and opens a session, in one transaction.
    private func redeem(_ token: OneTimeTokens.Presented, _ client: ClientInfo) async throws -> OpenSession {
        let tokens = try letters.tokens
        return try await accounts.withShape { shape in
            try await accounts.database.transaction { transaction in
                let redeemed = try await tokens.redeem(token, shape, in: transaction)
                let rows = try await transaction.query(accounts.reading(redeemed.userID, shape))
                guard let account = try rows.first.flatMap(Account.init) else {
                    throw SignInError.userNotFound
                }
                try account.admit()
                let address =
                    redeemed.purpose == .emailChange ? account.newEmail ?? account.email : account.email
                var changes = address.isEmpty ? [] : accounts.setEmail(address, of: account, shape)
                if !account.isEmailConfirmed, redeemed.purpose == .magicLink || redeemed.purpose == .recovery {
                    // Somebody else may have signed up with this address: only its owner keeps access.
                    changes += accounts.changePassword(of: account.id, to: "", shape)
                    changes.append(sessions.ending(.global, of: account.id, session: nil))
                }
                do {
                    return try await sessions.open(
                        for: account.id,
                        "otp",
                        client,
                        after: changes,
                        shape,
                        in: transaction
                    )
                } catch let error as PostgresError where error.isDuplicateAccount {
                    throw SignInError.emailExists
                }
            }
        }
    }
}
