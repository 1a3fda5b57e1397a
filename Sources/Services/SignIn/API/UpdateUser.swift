import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `PUT /user`: changes the caller's password, address, number or metadata.
    func updateUser(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let caller = try await caller(request)
        let changes = try await userChanges(fields, of: caller, services.client(request))
        if changes.unconfirmedEmail != nil { try await services.emailLimits.admit(services.client(request)) }
        if let number = changes.phone {
            try await texts(for: "changes").limits.admit(number, services.client(request))
        }
        try await apply(changes, by: caller, from: services.client(request).address, redirect: redirect(request))
        return Response.user(try await accounts.existing(id: caller.account.id))
    }

    private func apply(
        _ changes: UserChanges,
        by caller: Caller,
        from address: String,
        redirect: String?
    ) async throws {
        try await accounts.transaction { transaction in
            if let code = changes.reauthentication { try await redeem(code, in: transaction) }
            let statements = try await statements(for: changes, by: caller, from: address, in: transaction)
            try await run(statements, inSessionOf: caller, in: transaction)
            try await writeEmail(about: changes, of: caller.account, redirect: redirect, in: transaction)
            if let number = changes.phone {
                try await texts(for: "changes").write(
                    .phoneChange,
                    to: number,
                    of: caller.account.id,
                    by: changes.channel,
                    in: transaction
                )
            }
        }
        services.emails?.announce()
        services.texts?.announce()
        if changes.passwordHash != nil { await services.ended.refresh() }
    }

    private func statements(
        for changes: UserChanges,
        by caller: Caller,
        from address: String,
        in transaction: AccountTransaction
    ) async throws -> [SQL] {
        let account = caller.account
        var statements = transaction.tables.audit(
            AuditEntry(action: changes.passwordHash == nil ? .modified : .passwordUpdated, address: address),
            of: account.id
        )
        if let metadata = changes.metadata {
            // Checked once more, as requests sent together would each be within the limit.
            let current = try await transaction.lockedAccount(account.id)
            let completed = try MetadataLimit.completing(metadata, of: current)
            statements.append(transaction.statements.userMetadataMerge(completed, of: account.id))
        }
        if let hash = changes.passwordHash {
            statements += transaction.statements.passwordChange(of: account.id, to: hash)
            // End the sessions of anybody who knows the old password.
            statements.append(sessions.ending(.others, of: account.id, session: caller.sessionID, transaction.tables))
            statements += try services.emails?.telling(.passwordChanged, to: account.email, of: account.id) ?? []
        }
        // After the password, which cancels a pending change of address.
        switch changes.email {
        case .confirmed(let email): statements += transaction.statements.emailChange(of: account, to: email)
        case .unconfirmed(let email, _): statements.append(transaction.statements.emailRequest(email, of: account.id))
        case nil: break
        }
        if let number = changes.phone {
            statements.append(transaction.statements.phoneRequest(number, of: account.id))
        }
        return statements
    }

    /// Runs the statements if the caller's session still exists, in one round trip; else throws
    /// ``SignInError`` 403, which rolls them back.
    ///
    /// Hashing a password takes a while, and a concurrent change of the password may have ended the session meanwhile:
    /// what is committed while the lock waits, only a statement after it sees.
    func run(
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

    /// Writes the mail that confirms a new address, if there is one. Throws ``SignInError`` 429
    /// within a minute of the last mail, which rolls back the change: without a mail it could never be confirmed.
    private func writeEmail(
        about changes: UserChanges,
        of account: Account,
        redirect: String?,
        in transaction: AccountTransaction
    ) async throws {
        guard let (email, challenge) = changes.unconfirmedEmail else { return }
        try await services.emails?.writeEmailChange(
            to: email,
            of: account,
            challenge,
            redirect: redirect,
            asksBoth: settings.asksBothAddresses,
            in: transaction
        )
    }
}

extension AuthAPI {
    /// `GET /user`: the caller's account.
    func user(_ request: Request, _ context: Context) async throws -> Response {
        Response.user(try await caller(request).account)
    }
}
