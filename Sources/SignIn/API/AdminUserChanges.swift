import Auth
import HTTP
import JSON
import Postgres
import Swiftlet

extension AuthAPI {
    /// `POST /admin/users`: creates an account, with a password or a password hash.
    func adminCreateUser(_ request: Request, _ context: Context) async throws -> Response {
        try requireAdministrator(request)
        let fields = try Fields(request)
        var new = NewAccount()
        if let id = try fields.text("id") {
            guard let id = RandomID.normalised(id) else {
                throw SignInError.invalid("ID must conform to the uuid v4 format")
            }
            new.id = id
        }
        new.email = try fields.email()
        new.phone = try fields.text("phone")
        guard new.email != nil || new.phone != nil else {
            throw SignInError.invalid("Cannot create a user without either an email or phone")
        }
        new.passwordHash = try await givenHash(fields)
        if new.passwordHash == nil {
            new.passwordHash = try await services.passwords.hash(Self.randomPassword(), forAdministrator: true)
        }
        new.role = try fields.text("role") ?? new.role
        new.audience = try fields.text("aud") ?? new.audience
        let emailConfirm = try fields.bool("email_confirm")
        let phoneConfirm = try fields.bool("phone_confirm")
        new.isEmailConfirmed = new.email != nil && emailConfirm == true
        new.isPhoneConfirmed = new.phone != nil && phoneConfirm == true
        new.userMetadata = try fields.object("user_metadata") ?? [:]
        let provider: JSONValue = new.email == nil ? "phone" : "email"
        new.appMetadata = ["provider": provider, "providers": [provider]]
        for (name, value) in try fields.object("app_metadata") ?? [:] { new.appMetadata[name] = value }
        try MetadataLimit.check(new.userMetadata, "user_metadata")
        try MetadataLimit.check(new.appMetadata, "app_metadata")
        new.banSeconds = try Self.ban(fields)
        if let email = new.email { new.identities = [.email(email, of: new.id, isVerified: new.isEmailConfirmed)] }
        do {
            try await accounts.insert(new)
        } catch let error as PostgresError where error.state == .uniqueViolation {
            throw SignInError(duplicate: error)
        }
        return Response.user(try await accounts.existing(id: new.id))
    }

    /// `PUT /admin/users/:id`: sets the fields that are sent; metadata is merged.
    func adminUpdateUser(_ request: Request, _ context: Context) async throws -> Response {
        try requireAdministrator(request)
        let id = try Self.id(context)
        let fields = try Fields(request)
        let account = try await accounts.existing(id: id)
        let email = try fields.email()
        let hash = try await givenHash(fields)
        let ban = try Self.ban(fields)
        let userMetadata = try fields.object("user_metadata")
        let appMetadata = try fields.object("app_metadata")
        if let userMetadata { try MetadataLimit.check(userMetadata, into: account.storedUserMetadata, "user_metadata") }
        if let appMetadata { try MetadataLimit.check(appMetadata, into: account.storedAppMetadata, "app_metadata") }
        let confirmsEmail = try fields.bool("email_confirm") ?? false
        let confirmsPhone = try fields.bool("phone_confirm") ?? false
        let role = try fields.text("role")
        let phone = try fields.text("phone")
        try await accounts.withShape { shape in
            var statements: [SQL] = [
                accounts.update(id, shape) { row in
                    if let role { row.set("role", "\(role)") }
                    if let phone { row.set("phone", "\(phone)") }
                    if let ban { row.set("banned_until", ban > 0 ? AccountStore.ban(ban) : "NULL") }
                    if confirmsEmail { row.set("email_confirmed_at", "coalesce(email_confirmed_at, now())") }
                    if confirmsPhone { row.set("phone_confirmed_at", "coalesce(phone_confirmed_at, now())") }
                    if let appMetadata {
                        row.set("raw_app_meta_data", AccountStore.merging(appMetadata, into: "raw_app_meta_data"))
                    }
                }
            ]
            if let hash { statements += accounts.changePassword(of: id, to: hash, shape) }
            if let userMetadata { statements.append(accounts.mergeUserMetadata(userMetadata, of: account, shape)) }
            if let email, email != account.email {
                let isConfirmed = confirmsEmail || account.isEmailConfirmed
                statements += accounts.setEmail(email, of: account, isConfirmed: isConfirmed, shape)
            }
            // A ban takes effect immediately, and a new password ends all sessions.
            if hash != nil || ban ?? 0 > 0 { statements.append(sessions.ending(.global, of: id, session: nil)) }
            do {
                try await accounts.database.transaction { _ = try await $0.queryAll(statements) }
            } catch let error as PostgresError where error.state == .uniqueViolation {
                throw SignInError(duplicate: error)
            }
        }
        return Response.user(try await accounts.existing(id: id))
    }

    /// The hash of the password, or the hash that was sent; nil without either.
    private func givenHash(_ fields: Fields) async throws -> String? {
        let password = try fields.text("password")
        let hash = try fields.text("password_hash")
        switch (password, hash) {
        case (nil, nil): return nil
        case (_?, _?):
            throw SignInError.invalid("Only a password or a password hash should be provided")
        case (let password?, nil):
            try services.passwordRules.check(password)
            return try await services.passwords.hash(password, forAdministrator: true)
        case (nil, let hash?):
            guard PasswordHash.isSupported(hash), hash.utf8.count <= Self.maximumHashBytes else {
                throw SignInError.invalid("This kind of password hash is not supported")
            }
            return hash
        }
    }

    /// The ban in seconds: 0 for none, nil if it was not sent.
    private static func ban(_ fields: Fields) throws -> Int? {
        guard let text = try fields.text("ban_duration") else { return nil }
        guard let seconds = BanDuration.seconds(text) else {
            throw SignInError.invalid("Invalid format for ban duration: use none, or a duration such as 24h or 1h30m")
        }
        return seconds
    }

    /// GoTrue's column is a varchar(255).
    private static let maximumHashBytes = 255

    /// A password that nobody knows, until the user resets it.
    private static func randomPassword() throws -> String {
        let bytes = try RandomBytes.make(count: 32)
        return Base64URL.encode(bytes.span)
    }
}

extension SignInError {
    /// 422: another account already has this id, phone number or address, by the unique constraint that is violated.
    fileprivate init(duplicate error: PostgresError) {
        switch error.constraint {
        case "users_pkey": self = .userExists
        case "users_phone_key":
            self.init(
                .unprocessableContent,
                "phone_exists",
                "A user with this phone number has already been registered"
            )
        default: self = .emailExists
        }
    }
}
