import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /token?grant_type=…`: a session for a password, a refresh token, an ID token or the code of a link. An
    /// access token in the request is ignored.
    func token(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let client = services.client(request)
        switch request.query["grant_type"] {
        case "password": return try await services.answer(passwordGrant(fields, client), to: request)
        case "refresh_token": return try await services.answer(refreshGrant(fields, client), to: request)
        case "id_token": return try await services.answer(identityGrant(fields, client, request), to: request)
        case "web3": throw SignInError.noWallets
        case "pkce":
            let (session, tokens) = try await proofKeyGrant(fields, client)
            return try await services.answer(session, tokens, to: request)
        default: throw SignInError(.badRequest, "invalid_credentials", "unsupported_grant_type")
        }
    }

    private func passwordGrant(_ fields: Fields, _ client: ClientInfo) async throws -> OpenSession {
        let email = try fields.text("email")
        let phone = try fields.text("phone")
        switch (email, phone) {
        case (_?, _?):
            throw SignInError.invalid("Only an email address or phone number should be provided on login.")
        case (nil, _?):
            guard services.hasPhones else { throw SignInError.noPhone("logins") }
            // One that cannot be anybody's number is refused like an unknown one.
            guard let number = try? fields.phone() else { throw SignInError.wrongCredentials }
            let password = try fields.text("password") ?? ""
            return try await services.passwordSignIn.open(phone: number, password: password, client)
        case (nil, nil): throw SignInError.invalid("missing email or phone")
        case (let email?, nil):
            let password = try fields.text("password") ?? ""
            return try await services.passwordSignIn.open(email: email, password: password, client)
        }
    }

    private func refreshGrant(_ fields: Fields, _ client: ClientInfo) async throws -> OpenSession {
        guard let token = try fields.text("refresh_token") else {
            throw SignInError.oauth("invalid_request", "refresh_token required")
        }
        return try await sessions.refresh(token, client)
    }
}
