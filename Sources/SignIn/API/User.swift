internal import HTTP
internal import Swiftlet

extension AuthAPI {
    /// `GET /user`: who the token's user is now.
    func user(_ request: Request, _ context: Context) async throws -> Response {
        Response.user(try await caller(request).account)
    }
}
