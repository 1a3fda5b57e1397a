import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /token?grant_type=pkce`: a session for the code that a link has led to, and the verifier of the challenge
    /// that was sent with the request for the mail. A code works once.
    func proofKeyGrant(_ fields: Fields, _ client: ClientInfo) async throws -> (OpenSession, ProviderTokens?) {
        guard let code = try fields.text("auth_code"), let verifier = try fields.text("code_verifier") else {
            throw SignInError.invalid("invalid request: both auth code and code verifier should be non-empty")
        }
        return try await accounts.transaction { transaction in
            let exchange = try await FlowStates(in: transaction).exchange(code: code, verifier: verifier)
            let session = try await sessions.open(
                for: exchange.userID,
                by: exchange.method,
                client: client,
                after: [exchange.end],
                in: transaction
            )
            return (session, exchange.providerTokens)
        }
    }
}
