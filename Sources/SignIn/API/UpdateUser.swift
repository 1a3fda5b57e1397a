import HTTP
import JSON
import Postgres
import Swiftlet

extension AuthAPI {
    /// `PUT /user`: changes the caller's password, address or metadata.
    func updateUser(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let caller = try await caller(request)
        let account = caller.account
        guard !fields.has("app_metadata") else {
            throw SignInError(.forbidden, "not_admin", "Updating app_metadata requires admin privileges")
        }
        guard try fields.text("phone") == nil else {
            throw SignInError(.badRequest, "phone_provider_disabled", "Phone changes are disabled")
        }
        let data = try fields.object("data")
        if let data { try MetadataLimit.check(data, into: account.storedUserMetadata, "user_metadata") }
        let email = try await newEmail(fields, account)
        let hash = try await newPassword(fields, account)
        let letter = try await accounts.withShape { shape in
            try await accounts.database.transaction { transaction -> Letter? in
                var statements = sessionCheck(caller)
                if let data { statements.append(merge(data, into: account, shape)) }
                if let hash {
                    statements += accounts.changePassword(of: account.id, to: hash, shape)
                    // End the sessions of anybody who knows the old password.
                    statements.append(sessions.ending(.others, of: account.id, session: caller.sessionID))
                }
                // After the password, which cancels a pending change of address.
                if let email { statements += change(email, of: account, shape) }
                do {
                    guard try await !transaction.queryAll(statements)[1].isEmpty else { throw SignInError.noSession }
                } catch let error as PostgresError where error.state == .uniqueViolation {
                    throw SignInError.emailExists
                }
                guard let email, !services.confirmsAtOnce else { return nil }
                // Throws within a minute of the last mail, which rolls back the change: without a mail it could never
                // be confirmed.
                return try await services.letters?.write(
                    .emailChange,
                    to: email,
                    of: account.id,
                    redirect: redirect(request),
                    in: transaction
                )
            }
        }
        try services.letters?.post(letter)
        return Response.user(try await found(account.id))
    }

    /// Two statements; the second returns a row if the caller's session still exists. Hashing a password takes a while,
    /// and a concurrent change of the password may have ended the session meanwhile.
    private func sessionCheck(_ caller: Caller) -> [SQL] {
        let (id, session) = (caller.account.id, caller.sessionID)
        return [
            "SELECT 1 FROM auth.users WHERE id = \(id) FOR NO KEY UPDATE",
            """
            SELECT 1 FROM auth.users AS u WHERE id = \(id) AND (
                \(session)::uuid IS NULL OR EXISTS (
                    SELECT FROM auth.sessions WHERE id = \(session)::uuid AND user_id = u.id
                )
            )
            """,
        ]
    }

    /// The new address; nil if it stays the same.
    private func newEmail(_ fields: Fields, _ account: Account) async throws -> String? {
        guard let email = try fields.email(), email != account.email.lowercased() else { return nil }
        if let owner = try await accounts.find(email: email), owner.id != account.id { throw SignInError.emailExists }
        guard try await accounts.findPerson(email: email).map({ $0.id == account.id }) ?? true else {
            throw SignInError.emailExists
        }
        if !services.confirmsAtOnce, services.letters == nil { throw SignInError.noMailer }
        return email
    }

    /// The hash of the new password; nil if it stays the same.
    private func newPassword(_ fields: Fields, _ account: Account) async throws -> String? {
        guard let password = try fields.text("password") else { return nil }
        try services.passwordRules.check(password)
        if let current = try fields.text("current_password"), account.passwordHash?.isEmpty == false,
            try await !services.passwords.matches(current, hash: account.passwordHash)
        {
            throw SignInError(.badRequest, "current_password_invalid", "Current password is not valid")
        }
        if account.passwordHash?.isEmpty == false,
            try await services.passwords.matches(password, hash: account.passwordHash)
        {
            throw SignInError(
                .unprocessableContent,
                "same_password",
                "New password should be different from the old password."
            )
        }
        return try await services.passwords.hash(password)
    }

    /// Merges `data` into `user_metadata`; null removes a member.
    func merge(_ data: JSONObject, into account: Account, _ shape: AccountStore.Shape) -> SQL {
        accounts.update(account.id, shape) { row in
            row.set("raw_user_meta_data", Self.merging(data, into: "raw_user_meta_data"))
        }
    }

    /// A single expression, so that concurrent changes are both applied.
    static func merging(_ data: JSONObject, into column: SQL) -> SQL {
        let removed = data.filter { $0.value.isNull }.map(\.name)
        // A new object, because removing a member takes time linear in its size.
        var kept = JSONObject()
        for (name, value) in data where !value.isNull { kept[name] = value }
        return """
            (coalesce(\(column), '{}') || \(JSONValue.object(kept).description)::jsonb) - \(removed)::text[]
            """
    }

    /// Changes the address, or stores the new one until it is confirmed.
    func change(_ email: String, of account: Account, _ shape: AccountStore.Shape) -> [SQL] {
        guard services.confirmsAtOnce else {
            return [
                accounts.update(account.id, shape) { row in
                    row.set("email_change", "\(email)")
                    // A link that was sent to another address must not confirm this one.
                    row.set(
                        "email_change_token_new",
                        "CASE WHEN lower(email_change) = \(email) THEN email_change_token_new ELSE '' END"
                    )
                }
            ]
        }
        return take(email, account, shape)
    }

    /// Sets the confirmed address of the account and of its `email` identity.
    func take(_ email: String, _ account: Account, _ shape: AccountStore.Shape) -> [SQL] {
        var statements: [SQL] = [
            accounts.update(account.id, shape) { row in
                // If the current address was confirmed again, a pending change stays.
                if email != account.email {
                    row.set("email", "\(email)")
                    row.set("email_change", "''")
                    // Tokens that were sent to the old address become invalid.
                    row.set("recovery_token", "''")
                    row.set("confirmation_token", "''")
                }
                row.set("email_confirmed_at", "coalesce(email_confirmed_at, now())")
                row.set("is_anonymous", "false")
                row.set(
                    "raw_user_meta_data",
                    Self.merging(["email": .string(email), "email_verified": true], into: "raw_user_meta_data")
                )
                if account.isAnonymous {
                    row.set(
                        "raw_app_meta_data",
                        Self.merging(["provider": "email", "providers": ["email"]], into: "raw_app_meta_data")
                    )
                }
            }
        ]
        if account.identities.contains(where: { $0["provider"]?.string == "email" }) {
            statements.append(
                """
                UPDATE auth.identities SET updated_at = now(),
                    identity_data = identity_data || jsonb_build_object('email', \(email)::text, 'email_verified', true)
                WHERE user_id = \(account.id) AND provider = 'email'
                """
            )
        } else {
            statements.append(
                accounts.insertion(.email(email, of: account.id, isVerified: true), of: account.id, shape)
            )
        }
        return statements
    }
}

extension SignInError {
    static let emailExists = SignInError(
        .unprocessableContent,
        "email_exists",
        "A user with this email address has already been registered"
    )
    static let noMailer = SignInError(
        .unprocessableContent,
        "email_provider_disabled",
        "This server sends no mail"
    )
}
