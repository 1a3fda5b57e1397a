import SwiftletHTTP
import SwiftletWeb

extension MobileAPI {
    /// `POST /refresh` with `{"refresh_token":…}` or `{"refreshToken":…}`: the next tokens.
    func refresh(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard let token = try fields.text("refresh_token") ?? fields.text("refreshToken") else {
            throw SignInError.invalid("refresh_token is required")
        }
        do {
            return try await services.answer(
                try await services.sessions.refresh(token, services.client(request)),
                to: request
            )
        } catch let error as SignInError where error.status == .badRequest {
            // The app treats 401 as "sign in again".
            throw SignInError(.unauthorized, error.code, error.message)
        }
    }
}
