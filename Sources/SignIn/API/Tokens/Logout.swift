import HTTP
import Web

extension AuthAPI {
    /// `POST /logout?scope=global|local|others`: ends sessions; access tokens run out by themselves.
    func logout(_ request: Request, _ context: Context) async throws -> Response {
        let caller = try await caller(request)
        guard let scope = SessionStore.Scope(rawValue: request.query["scope"] ?? "global") else {
            throw SignInError.invalid("Unsupported logout scope")
        }
        try await sessions.end(scope, of: caller.account.id, session: caller.sessionID)
        return Response(status: .noContent)
    }
}
