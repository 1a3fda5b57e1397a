import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /signup`: creates an account with an address or a number and a password, or an anonymous one without. An
    /// access token in the request is ignored.
    func signUp(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard !settings.isSignUpDisabled else { throw SignInError.signUpDisabled }
        if try fields.text("phone") != nil { return try await phoneSignUp(fields, request) }
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        guard let email = try fields.email() else { return try await signUpAnonymously(data, request) }
        guard let password = try fields.text("password") else {
            throw SignInError.invalid("Signup requires a valid password")
        }
        try services.passwordRules.check(password)
        // Clients send one even if no mail is sent.
        let challenge = services.confirmsAtOnce ? nil : try CodeChallenge(fields)
        return try await signUp(email, password: password, data, challenge, request)
    }

    private func signUp(
        _ email: String,
        password: String,
        _ data: JSONObject,
        _ challenge: CodeChallenge?,
        _ request: Request
    ) async throws -> Response {
        try await services.signUpLimits.admit(address: services.client(request).address)
        if !services.confirmsAtOnce { try await services.emailLimits.admit(services.client(request)) }
        let redirect = redirect(request)
        let address = services.client(request).address
        func repeated(_ known: Account) async throws -> Response {
            try await repeatSignUp(
                known,
                email: email,
                password: password,
                data,
                challenge,
                redirect: redirect,
                from: address
            )
        }
        // One hash is made or compared in either case, so that the time does not reveal whether the address is known.
        if let known = try await accounts.find(email: email) { return try await repeated(known) }
        let hash = try await services.passwords.hash(password)
        if try await accounts.findPerson(email: email) != nil { return try await refuseKnown(email, data) }
        var new = NewAccount()
        new.clientAddress = address
        new.email = email
        new.passwordHash = hash
        new.isEmailConfirmed = services.confirmsAtOnce
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.userMetadata = Self.metadata(data, email, of: new.id, isConfirmed: new.isEmailConfirmed)
        // Confirmed because nobody asks is not verified: see ``Account/hasProvenEmail(isConfirmedUnasked:)``.
        new.identities = [.email(email, of: new.id, isVerified: false)]
        try await services.hooks.admit(new, from: address)
        do {
            guard services.confirmsAtOnce else {
                try await accounts.insert(new)
                try await services.emails?.send(
                    .confirmation,
                    to: email,
                    of: new.id,
                    challenge,
                    redirect: redirect,
                    noting: .confirmationRequest(by: "email", from: address)
                )
                return Response.user(try await accounts.existing(id: new.id))
            }
            let session = try await sessions.open(for: new.id, by: .password, client: services.client(request)) {
                $0.statements.insertion(of: new)
            }
            return try await services.answer(session, to: request)
        } catch let error as PostgresError where error.isDuplicateAccount {
            // A concurrent sign-up.
            guard let known = try await accounts.find(email: email) else { return try await refuseKnown(email, data) }
            return try await repeated(known)
        }
    }

    /// Sends another mail to an unconfirmed address; a confirmed one is not revealed, nor one that is shut out.
    ///
    /// Nothing else of the account is changed or shown, as anybody may sign up with any address. But if the passwords
    /// differ, only one of the two can be of the address's owner, who will follow any link: then nobody's is kept.
    private func repeatSignUp(
        _ known: Account,
        email: String,
        password: String,
        _ data: JSONObject,
        _ challenge: CodeChallenge?,
        redirect: String?,
        from address: String
    ) async throws -> Response {
        let isPending = !services.confirmsAtOnce && !known.isConfirmed && known.isActive
        let hash = isPending ? known.passwordHash : nil
        let isSame = try await services.passwords.matches(password, hash: hash, forStranger: true)
        guard isPending else {
            try await noteRepeatedSignUp(of: known, by: "email", from: address)
            return try await refuseKnown(email, data)
        }
        if !isSame, hash?.isEmpty == false {
            try await accounts.withTables { tables in
                _ = try await accounts.database.query(tables.statements.passwordRemoval(ofUnconfirmed: known.id))
            }
        }
        try await services.emails?.send(
            .confirmation,
            to: email,
            of: known.id,
            challenge,
            redirect: redirect,
            rebindsLink: isSame,
            noting: .confirmationRequest(by: "email", from: address)
        )
        // Who was invited is not told about.
        if known.isInvited {
            return try await unconfirmed(Self.stranger(RandomID.make(), email, data, []), role: "")
        }
        return try await unconfirmed(
            Self.stranger(known.id, email, data, [.email(email, of: known.id, isVerified: false)]),
            role: "authenticated"
        )
    }

    /// Without confirmation mails, the response reveals a known address anyway. Otherwise it is the same as for a new
    /// account, except for `role` and `identities`, by which apps know it as from GoTrue.
    private func refuseKnown(_ email: String, _ data: JSONObject) async throws -> Response {
        guard !services.confirmsAtOnce else {
            throw SignInError.userExists
        }
        // As if a mail had been sent, so that the rate limit reveals nothing.
        services.emails?.note(.confirmation, email)
        return try await unconfirmed(Self.stranger(RandomID.make(), email, data, []), role: "")
    }

    /// What a new account with this address would be.
    private static func stranger(
        _ id: String,
        _ email: String,
        _ data: JSONObject,
        _ identities: [NewIdentity]
    ) -> NewAccount {
        var new = NewAccount()
        new.id = id
        new.email = email
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.userMetadata = metadata(data, email, of: id, isConfirmed: false)
        new.identities = identities
        return new
    }

    /// A user as if it had just been created, and a mail or a text sent.
    func unconfirmed(_ new: NewAccount, role: String) async throws -> Response {
        // As the database writes what it keeps: else the order of members would tell a known address from a new one.
        let kept = try await accounts.database.query(
            "SELECT \(JSONValue.object(new.userMetadata).description)::jsonb::text AS data"
        )
        let metadata = try JSONParser.parse(Array((kept.first?["data"] ?? "{}").utf8))
        let now = JSONValue.string(UTCTime(milliseconds: services.accessTokens.clock.milliseconds()).text)
        let row: JSONObject = [
            "aud": "authenticated", "role": .string(role), "email": .string(new.email ?? ""),
            "phone": .string(new.phone ?? ""), "confirmation_sent_at": now,
            "raw_app_meta_data": .object(new.appMetadata), "raw_user_meta_data": metadata,
            "created_at": now, "updated_at": now,
        ]
        let identities = new.identities.map { identity -> JSONObject in
            [
                "id": .string(identity.subject), "provider": .string(identity.provider),
                "identity_data": .object(identity.data), "last_sign_in_at": now, "created_at": now, "updated_at": now,
            ]
        }
        let account = Account(
            id: new.id,
            row: row,
            identities: identities,
            profile: nil,
            passwordHash: nil,
            isBanned: false
        )
        return Response.user(account)
    }

    private static func metadata(
        _ data: JSONObject,
        _ email: String,
        of id: String,
        isConfirmed: Bool
    ) -> JSONObject {
        var metadata = data
        metadata["email"] = .string(email)
        metadata["email_verified"] = .bool(isConfirmed)
        metadata["phone_verified"] = false
        metadata["sub"] = .string(id)
        return metadata
    }

    private func signUpAnonymously(_ data: JSONObject, _ request: Request) async throws -> Response {
        guard settings.allowsAnonymousUsers else {
            throw SignInError(
                .unprocessableContent,
                "anonymous_provider_disabled",
                "Anonymous sign-ins are disabled"
            )
        }
        let client = services.client(request)
        try await services.signUpLimits.admit(address: client.address)
        var new = NewAccount()
        new.clientAddress = client.address
        new.isAnonymous = true
        new.userMetadata = data
        try await services.hooks.admit(new, from: client.address)
        let session = try await sessions.open(for: new.id, by: .anonymous, client: client) {
            $0.statements.insertion(of: new)
        }
        return try await services.answer(session, to: request)
    }
}
