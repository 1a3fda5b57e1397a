import HTTP
import JSON
import Postgres
import Swiftlet

extension AuthAPI {
    /// `POST /signup`: creates an account with an address and a password, or an anonymous one without. An access token
    /// in the request is ignored.
    func signUp(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard !settings.isSignUpDisabled else { throw SignInError.signUpDisabled }
        guard try fields.text("phone") == nil else {
            throw SignInError.noPhone("signups")
        }
        let data = try fields.object("data") ?? [:]
        try MetadataLimit.check(data, "data")
        guard let email = try fields.email() else { return try await signUpAnonymously(data, request) }
        guard let password = try fields.text("password") else {
            throw SignInError.invalid("Signup requires a valid password")
        }
        try services.passwordRules.check(password)
        return try await signUp(email, password, data, request)
    }

    private func signUp(
        _ email: String,
        _ password: String,
        _ data: JSONObject,
        _ request: Request
    ) async throws -> Response {
        try await services.signUpLimits.admit(address: ClientInfo(request).address)
        // Always hashed, so that the response time does not reveal whether the address is known.
        let hash = try await services.passwords.hash(password)
        if let known = try await accounts.find(email: email) {
            return try await repeatSignUp(known, email, data, redirect(request))
        }
        if try await accounts.findPerson(email: email) != nil { return try refuseKnown(email, data) }
        var new = NewAccount()
        new.email = email
        new.passwordHash = hash
        new.isEmailConfirmed = services.confirmsAtOnce
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.userMetadata = data
        new.userMetadata["email"] = .string(email)
        new.userMetadata["email_verified"] = .bool(new.isEmailConfirmed)
        new.userMetadata["phone_verified"] = false
        new.userMetadata["sub"] = .string(new.id)
        new.identities = [.email(email, of: new.id, isVerified: new.isEmailConfirmed)]
        do {
            guard services.confirmsAtOnce else {
                try await accounts.insert(new)
                try await services.letters?.send(.confirmation, to: email, of: new.id, redirect: redirect(request))
                return Response.user(try await accounts.existing(id: new.id))
            }
            let session = try await sessions.open(for: new.id, "password", ClientInfo(request)) {
                accounts.insertion(new, $0)
            }
            return try services.answer(session, to: request)
        } catch let error as PostgresError where error.isDuplicateAccount {
            return try refuseKnown(email, data)
        }
    }

    /// Sends another mail to an unconfirmed address; a confirmed one is not revealed.
    private func repeatSignUp(
        _ known: Account,
        _ email: String,
        _ data: JSONObject,
        _ redirect: String?
    ) async throws -> Response {
        guard !services.confirmsAtOnce, !known.isConfirmed else { return try refuseKnown(email, data) }
        try await services.letters?.send(.confirmation, to: email, of: known.id, redirect: redirect)
        return Response.user(known)
    }

    /// Without confirmation mails, the response reveals a known address anyway. Otherwise it is the same as for a new
    /// account, except for `identities`.
    private func refuseKnown(_ email: String, _ data: JSONObject) throws -> Response {
        guard !services.confirmsAtOnce else {
            throw SignInError.userExists
        }
        // As if a mail had been sent, so that the rate limit reveals nothing.
        services.letters?.note(.confirmation, email)
        return Response.json { json in
            let now = UTCTime(milliseconds: services.accessTokens.clock.milliseconds()).text
            json.object { json in
                json.member("id", RandomID.make())
                json.member("aud", "authenticated")
                json.member("role", "")
                json.member("email", email)
                json.member("phone", "")
                json.member("confirmation_sent_at", now)
                json.member("app_metadata", ["provider": "email", "providers": ["email"]])
                json.member("user_metadata", .object(data))
                json.member("identities", [])
                json.member("created_at", now)
                json.member("updated_at", now)
                json.member("is_anonymous", false)
            }
        }
    }

    private func signUpAnonymously(_ data: JSONObject, _ request: Request) async throws -> Response {
        guard settings.allowsAnonymousUsers else {
            throw SignInError(
                .unprocessableContent,
                "anonymous_provider_disabled",
                "Anonymous sign-ins are disabled"
            )
        }
        let client = ClientInfo(request)
        try await services.signUpLimits.admit(address: client.address)
        var new = NewAccount()
        new.isAnonymous = true
        new.userMetadata = data
        let session = try await sessions.open(for: new.id, "anonymous", client) { accounts.insertion(new, $0) }
        return try services.answer(session, to: request)
    }
}
