import HTTP
import Web

extension AuthAPI {
    /// `GET /user`: the caller's account.
    func user(_ request: Request, _ context: Context) async throws -> Response {
        Response.user(try await caller(request).account)
    }
}
