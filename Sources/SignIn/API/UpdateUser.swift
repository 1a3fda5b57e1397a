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
        let letter = try await accounts.transaction { transaction -> Letter? in
            var statements: [SQL] = []
            if let data {
                // Once more, as requests sent together would each be within the limit.
                let current = try await locked(account, in: transaction)
                let data = try MetadataLimit.completing(data, of: current)
                statements.append(transaction.statements.userMetadataMerge(data, of: account.id))
            }
            if let hash {
                statements += transaction.statements.passwordChange(of: account.id, to: hash)
                // End the sessions of anybody who knows the old password.
                statements.append(sessions.ending(.others, of: account.id, session: caller.sessionID))
            }
            // After the password, which cancels a pending change of address.
            if let email {
                statements +=
                    services.confirmsAtOnce
                    ? transaction.statements.emailChange(of: account, to: email)
                    : [transaction.statements.emailRequest(email, of: account.id)]
            }
            try await run(statements, inSessionOf: caller, in: transaction)
            guard let email, !services.confirmsAtOnce else { return nil }
            // Throws within a minute of the last mail, which rolls back the change: without a mail it could never
            // be confirmed.
            return try await services.letters?.write(
                .emailChange,
                to: email,
                of: account.id,
                challenge,
                redirect: redirect(request),
                in: transaction
            )
        }
        if let place { services.letters?.post(letter, in: place) }
        return Response.user(try await accounts.existing(id: account.id))
    }

    /// The account as it is now, and stays until the transaction ends.
    private func locked(
        _ account: Account,
        in transaction: AccountTransaction
    ) async throws -> Account {
        var group = StatementGroup([AccountStatements.lock(on: account.id)])
        let reading = group.append(transaction.statements.selection(of: account.id))
        let rows = try await transaction.run(group)[reading]
        guard let current = try rows.first.flatMap(Account.init) else { throw SignInError.userNotFound }
        return current
    }

    /// Runs the statements if the caller's session still exists, in one round trip; else throws ``SignInError`` 403, which
    /// rolls them back.
    ///
    /// Hashing a password takes a while, and a concurrent change of the password may have ended the session meanwhile:
    /// what is committed while the lock waits, only a statement after it sees.
    private func run(
        _ statements: [SQL],
        inSessionOf caller: Caller,
        in transaction: AccountTransaction
    ) async throws {
        var group = StatementGroup([AccountStatements.lock(on: caller.account.id)])
        let session = group.append(Self.session(of: caller))
        group.append(contentsOf: statements)
        do {
            guard try await !transaction.run(group)[session].isEmpty else { throw SignInError.noSession }
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError.emailExists
        }
    }

    /// Returns a row if the caller's session exists, or the caller's token has none.
    private static func session(of caller: Caller) -> SQL {
        """
        SELECT 1 FROM auth.users AS u WHERE id = \(caller.account.id) AND (
            \(caller.sessionID)::uuid IS NULL OR EXISTS (
                SELECT FROM auth.sessions WHERE id = \(caller.sessionID)::uuid AND user_id = u.id
            )
        )
        """
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
