import HTTP
import Web

extension AuthAPI {
    /// `POST /resend`: sends the mail of a sign-up or a change of address again. The response is the same for unknown
    /// addresses.
    func resend(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard let email = try fields.email() else {
            throw SignInError.invalid("Type provided requires an email address")
        }
        let type = try fields.text("type")
        guard type == "signup" || type == "email_change" else {
            throw SignInError.invalid("Missing one of these types: signup, email_change")
        }
        let challenge = try CodeChallenge(fields)
        let letters = try self.letters
        return try await letters.oncePerMinute(type == "signup" ? .confirmation : .emailChange, email) {
            guard let account = try await accounts.find(email: email), account.isActive else { return .emptyObject }
            let redirect = redirect(request)
            if type == "signup", !account.isEmailConfirmed {
                try await letters.send(.confirmation, to: email, of: account.id, challenge, redirect: redirect)
            } else if type == "email_change", let address = account.newEmail {
                try await letters.send(.emailChange, to: address, of: account.id, challenge, redirect: redirect)
            }
            return .emptyObject
        }
    }
}
