import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /resend`: sends the mail of a sign-up or a change of address again. The response is the same for unknown
    /// addresses.
    func resend(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let type = try fields.text("type")
        if let type, MailPurpose.texted(type) != nil { return try await resendText(fields, type: type, request) }
        guard let email = try fields.email() else {
            throw SignInError.invalid("Type provided requires an email address")
        }
        guard type == "signup" || type == "email_change" else {
            throw SignInError.invalid("Missing one of these types: signup, email_change, sms, phone_change")
        }
        let challenge = try CodeChallenge(fields)
        let emails = try self.emails
        return try await emails.oncePerMinute(type == "signup" ? .confirmation : .emailChange, email) {
            try await services.emailLimits.admit(services.client(request))
            guard let account = try await accounts.find(email: email), account.isActive else { return .emptyObject }
            let redirect = redirect(request)
            if type == "signup", !account.isEmailConfirmed {
                try await emails.send(.confirmation, to: email, of: account.id, challenge, redirect: redirect)
            } else if type == "email_change", let address = account.newEmail {
                try await resendChange(to: address, of: account, challenge, redirect: redirect)
            }
            return .emptyObject
        }
    }

    /// Asks both addresses again, unless they have just been asked.
    private func resendChange(
        to address: String,
        of account: Account,
        _ challenge: CodeChallenge?,
        redirect: String?
    ) async throws {
        let emails = try self.emails
        do {
            try await accounts.transaction { transaction in
                try await emails.writeEmailChange(
                    to: address,
                    of: account,
                    challenge,
                    redirect: redirect,
                    asksBoth: settings.asksBothAddresses,
                    in: transaction
                )
            }
            emails.announce()
        } catch let error as SignInError where error.code == .tooManyMails {
            return
        }
    }
}
