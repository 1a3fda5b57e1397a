internal import HTTP
internal import Swiftlet

extension MobileAPI {
    /// `POST /refresh`: `{refresh_token}`, or in camel case.
    func refresh(_ request: Request, _ context: Context) async throws -> Response {
        guard let token = try Fields(request).text("refresh_token", "refreshToken") else {
            throw SignInError(.badRequest, "validation_failed", "refresh_token is required")
        }
        do {
            return try services.answer(try await services.sessions.refresh(token, Visit(request)))
        } catch let error as SignInError where error.status == .badRequest {
            // The app takes 401 for "sign in again".
            throw SignInError(.unauthorized, error.code, error.message)
        }
    }
}
