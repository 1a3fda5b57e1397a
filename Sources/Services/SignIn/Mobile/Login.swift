import SwiftletHTTP
import SwiftletWeb

extension MobileAPI {
    /// `POST /login` with `{"email":…,"password":…}`: a new session.
    func login(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard let email = try fields.text("email"), let password = try fields.text("password") else {
            throw SignInError.invalid("Email and password are required")
        }
        let session = try await services.passwordSignIn.open(email: email, password: password, services.client(request))
        return try await services.answer(session, to: request)
    }
}
