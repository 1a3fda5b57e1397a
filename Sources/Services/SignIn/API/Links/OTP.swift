import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /otp`: sends a text to a `phone`, or a mail with a link and a code to sign in with. The answer does not
    /// tell whether there is an account, nor whether one was made.
    func otp(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        if try fields.text("phone") != nil { return try await phoneOTP(fields, request) }
        guard let email = try fields.email() else {
            throw SignInError.invalid("One of email or phone must be set")
        }
        let mayCreate = try fields.bool("create_user") ?? true
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        let challenge = try CodeChallenge(fields)
        return try await emails.oncePerMinute(.magicLink, email) {
            try await sendCode(to: email, data, challenge, mayCreate: mayCreate, request)
        }
    }

    private func sendCode(
        to email: String,
        _ data: JSONObject,
        _ challenge: CodeChallenge?,
        mayCreate: Bool,
        _ request: Request
    ) async throws -> Response {
        let emails = try self.emails
        let mayCreate = mayCreate && !settings.isSignUpDisabled
        let client = services.client(request)
        // For all addresses, as a limit for new ones alone would tell them apart.
        if mayCreate { try await services.signUpLimits.admit(address: client.address) }
        try await services.emailLimits.admit(client)
        if let account = try await accounts.find(email: email) {
            guard account.isActive else { return .emptyObject }
            try await emails.send(
                .magicLink,
                to: email,
                of: account.id,
                challenge,
                redirect: redirect(request),
                noting: AuditEntry(action: .recoveryRequested, address: client.address)
            )
            return .emptyObject
        }
        guard mayCreate else { return .emptyObject }
        // A user of public.users must sign in with the password first, as the account has to get the same id.
        guard try await accounts.findPerson(email: email) == nil else { return .emptyObject }
        var new = NewAccount()
        new.clientAddress = client.address
        new.email = email
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.userMetadata = data
        new.identities = [.email(email, of: new.id, isVerified: false)]
        try await services.hooks.admit(new, from: client.address)
        do {
            try await accounts.insert(new)
        } catch let error as PostgresError where error.isDuplicateAccount {
            // A concurrent request has created the account and sends the mail.
            return .emptyObject
        }
        try await emails.send(
            .confirmation,
            to: email,
            of: new.id,
            challenge,
            redirect: redirect(request),
            noting: .confirmationRequest(by: "email", from: client.address)
        )
        return .emptyObject
    }
}
