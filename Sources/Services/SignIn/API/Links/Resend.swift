import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /resend`: sends the mail of a sign-up or a change of address again. The response is the same for unknown
    /// addresses.
    func resend(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let type = try fields.text("type") ?? ""
        guard ["signup", "email_change", "sms", "phone_change"].contains(type) else {
            throw SignInError.invalid("Missing one of these types: signup, email_change, sms, phone_change")
        }
        let (hasEmail, hasPhone) = try (fields.text("email") != nil, fields.text("phone") != nil)
        if type == "signup", !hasEmail { throw SignInError.invalid("Type provided requires an email address") }
        if type == "sms", !hasPhone { throw SignInError.invalid("Type provided requires a phone number") }
        guard !(hasEmail && hasPhone) else {
            throw SignInError.invalid("Only an email address or phone number should be provided.")
        }
        if hasPhone { return try await resend(type, byPhone: fields, request) }
        guard let email = try fields.email() else {
            throw SignInError.invalid("Missing email address or phone number")
        }
        if type == "phone_change" { return try await resendText(toAccountOf: email, fields, request) }
        let challenge = try CodeChallenge(fields)
        let emails = try self.emails
        return try await emails.oncePerMinute(type == "signup" ? .confirmation : .emailChange, email) {
            try await services.emailLimits.admit(services.client(request))
            guard let account = try await accounts.find(email: email), account.isActive else { return .emptyObject }
            let redirect = redirect(request)
            if type == "signup", !account.isEmailConfirmed {
                let address = services.client(request).address
                try await emails.send(
                    .confirmation,
                    to: email,
                    of: account.id,
                    challenge,
                    redirect: redirect,
                    noting: AuditEntry(action: .confirmationRequested, address: address)
                )
            } else if type == "email_change", let address = account.newEmail {
                try await resendChange(to: address, of: account, challenge, redirect: redirect)
            }
            return .emptyObject
        }
    }

    /// Asks both addresses again, unless they have just been asked.
    func resendChange(
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
