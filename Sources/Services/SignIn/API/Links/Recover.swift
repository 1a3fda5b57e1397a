import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /recover`: sends a mail to reset the password. The response is the same for unknown addresses.
    func recover(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard let email = try fields.email() else {
            throw SignInError.invalid("Password recovery requires an email")
        }
        let challenge = try CodeChallenge(fields)
        let emails = try self.emails
        return try await emails.oncePerMinute(.recovery, email) {
            let client = services.client(request)
            try await services.emailLimits.admit(client)
            if let account = try await accounts.find(email: email), account.isActive {
                try await emails.send(
                    .recovery,
                    to: email,
                    of: account.id,
                    challenge,
                    redirect: redirect(request),
                    noting: AuditEntry(action: .recoveryRequested, address: client.address)
                )
            }
            return .emptyObject
        }
    }
}
