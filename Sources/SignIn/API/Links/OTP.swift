import HTTP
import JSON
import Postgres
import Web

extension AuthAPI {
    /// `POST /otp`: sends a mail with a link and a code to sign in with.
    func otp(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard try fields.text("phone") == nil else {
            throw SignInError.noPhone("logins")
        }
        guard let email = try fields.email() else {
            throw SignInError.invalid("One of email or phone must be set")
        }
        let mayCreate = try fields.bool("create_user") ?? true
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        let challenge = try CodeChallenge(fields)
        return try await letters.oncePerMinute(.magicLink, email) {
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
        let letters = try self.letters
        if let account = try await accounts.find(email: email) {
            guard account.isActive else { return .emptyObject }
            try await letters.send(.magicLink, to: email, of: account.id, challenge, redirect: redirect(request))
            return .emptyObject
        }
        guard mayCreate, !settings.isSignUpDisabled else {
            throw SignInError(.unprocessableContent, "otp_disabled", "Signups not allowed for otp")
        }
        // A user of public.users must sign in with the password first, as the account has to get the same id.
        guard try await accounts.findPerson(email: email) == nil else { return .emptyObject }
        var new = NewAccount()
        new.email = email
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.userMetadata = data
        new.identities = [.email(email, of: new.id, isVerified: false)]
        try await services.signUpLimits.admit(address: ClientInfo(request).address)
        do {
            try await accounts.insert(new)
        } catch let error as PostgresError where error.isDuplicateAccount {
            // A concurrent request has created the account and sends the mail.
            return .emptyObject
        }
        try await letters.send(.confirmation, to: email, of: new.id, challenge, redirect: redirect(request))
        return .emptyObject
    }
}
