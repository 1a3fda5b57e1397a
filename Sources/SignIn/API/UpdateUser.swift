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
            throw SignInError.notAdmin("Updating app_metadata requires admin privileges")
        }
        guard try fields.text("phone") == nil else {
            throw SignInError.noPhone("changes")
        }
        let data = try fields.object("data")
        if let data { try MetadataLimit.completing(data, of: account) }
        let email = try await newEmail(fields, account)
        // Clients send one even if no mail is sent.
        let challenge = email == nil || services.confirmsAtOnce ? nil : try CodeChallenge(fields)
        let hash = try await newPassword(fields, account, ClientInfo(request))
        let place = email == nil || services.confirmsAtOnce ? nil : try services.letters?.reserve()
        let letter = try await accounts.withShape { shape in
            try await accounts.database.transaction { transaction -> Letter? in
                var statements = sessionCheck(caller)
                if let data {
                    // Once more, as requests sent together would each be within the limit.
                    let current = try await locked(account, shape, in: transaction)
                    let data = try MetadataLimit.completing(data, of: current)
                    statements.append(accounts.mergeUserMetadata(data, of: current, shape))
                }
                if let hash {
                    statements += accounts.changePassword(of: account.id, to: hash, shape)
                    // End the sessions of anybody who knows the old password.
                    statements.append(sessions.ending(.others, of: account.id, session: caller.sessionID))
                }
                // After the password, which cancels a pending change of address.
                if let email {
                    statements +=
                        services.confirmsAtOnce
                        ? accounts.setEmail(email, of: account, shape)
                        : [accounts.requestEmail(email, of: account, shape)]
                }
                do {
                    guard try await !transaction.queryAll(statements)[1].isEmpty else { throw SignInError.noSession }
                } catch let error as PostgresError where error.isDuplicateAccount {
                    throw SignInError.emailExists
                }
                guard let email, !services.confirmsAtOnce else { return nil }
                // Throws within a minute of the last mail, which rolls back the change: without a mail it could never
                // be confirmed.
                return try await services.letters?.write(
                    .emailChange,
                    to: email,
                    of: account.id,
                    challenge,
                    redirect: redirect(request),
                    shape,
                    in: transaction
                )
            }
        }
        if let place { services.letters?.post(letter, in: place) }
        return Response.user(try await accounts.existing(id: account.id))
    }

    /// The account as it is now, and stays until the transaction ends.
    private func locked(
        _ account: Account,
        _ shape: AccountStore.Shape,
        in transaction: Transaction
    ) async throws -> Account {
        let answers = try await transaction.queryAll([Self.lock(account.id), accounts.reading(account.id, shape)])
        guard let current = try answers[1].first.flatMap(Account.init) else { throw SignInError.userNotFound }
        return current
    }

    private static func lock(_ id: String) -> SQL { "SELECT 1 FROM auth.users WHERE id = \(id) FOR NO KEY UPDATE" }

    /// Two statements; the second returns a row if the caller's session still exists. Hashing a password takes a while,
    /// and a concurrent change of the password may have ended the session meanwhile: what is committed while the first
    /// one waits for the account's lock, only a new statement sees.
    private func sessionCheck(_ caller: Caller) -> [SQL] {
        let (id, session) = (caller.account.id, caller.sessionID)
        return [
            Self.lock(id),
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
    private func newPassword(_ fields: Fields, _ account: Account, _ client: ClientInfo) async throws -> String? {
        guard let password = try fields.text("password") else { return nil }
        try services.passwordRules.check(password)
        if let current = try fields.text("current_password"), account.passwordHash?.isEmpty == false {
            try await checkCurrent(current, account, client)
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

    /// Counts like an attempt to sign in.
    private func checkCurrent(_ password: String, _ account: Account, _ client: ClientInfo) async throws {
        let name = account.email.isEmpty ? account.id : account.email
        try await services.limits.admit(account: name, address: client.address)
        guard try await services.passwords.matches(password, hash: account.passwordHash) else {
            try await services.limits.recordFailure(account: name, address: client.address)
            throw SignInError(.badRequest, "current_password_invalid", "Current password is not valid")
        }
        try await services.limits.recordSuccess(account: name, address: client.address)
    }
}
