import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Opens, refreshes and ends the sessions in the database.
struct SessionStore: Sendable {
    private(set) var accounts: AccountStore
    let settings: SignInSettings
    let clock: ServerClock

    init(_ accounts: AccountStore, _ settings: SignInSettings, clock: ServerClock = .system) {
        self.accounts = accounts
        self.settings = settings
        self.clock = clock
    }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { accounts.count(in: context) }

    var database: AccountDatabase { accounts.database }

    /// Opens a session, in one transaction and one round trip with the statements that `first` returns.
    ///
    /// `hash` is what the password has been checked against. If it is not the account's any more, this throws
    /// ``SignInError`` 400 `invalid_credentials`: a change of the password ends the sessions of those who know the old
    /// one, and they might be signing in at this moment. The account's row is locked while the hash is compared, so
    /// that either the change finds this session, or this finds the new hash.
    func open(
        for id: String,
        by method: AuthenticationMethod,
        client: ClientInfo,
        ifPasswordHashIs hash: String? = nil,
        after first: (AccountTables) -> [SQL] = { _ in [] }
    ) async throws -> OpenSession {
        try await accounts.transaction { transaction in
            try await open(
                for: id,
                by: method,
                client: client,
                ifPasswordHashIs: hash,
                after: first(transaction.tables),
                in: transaction
            )
        }
    }

    /// The same in the caller's transaction.
    func open(
        for id: String,
        by method: AuthenticationMethod,
        client: ClientInfo,
        ifPasswordHashIs hash: String? = nil,
        after first: [SQL],
        in transaction: AccountTransaction
    ) async throws -> OpenSession {
        let new = NewSession(userID: id, method: method, client: client)
        var group = StatementGroup()
        let passwordCheck = hash.map { hash in
            group.append("SELECT 1 FROM auth.users WHERE id = \(id) AND encrypted_password = \(hash) FOR NO KEY UPDATE")
        }
        group.append(contentsOf: first)
        group.append(contentsOf: SessionStatements(transaction.tables).insertion(of: new))
        group.append(
            contentsOf: transaction.tables.audit(
                AuditEntry(action: .login, traits: ["provider": .string(method.rawValue)], address: client.address),
                of: id
            )
        )
        group.append(contentsOf: [SessionSweep.endedSessions(of: id, settings, transaction.tables)])
        let reading = group.append(transaction.statements.selection(of: id))
        let answers: StatementGroup.Results
        do {
            answers = try await transaction.run(group)
        } catch {
            // The account was deleted at this moment, unless the violated key is of a table that a trigger writes to.
            guard error.state == .foreignKeyViolation, ["sessions", "identities"].contains(error.table) else {
                throw error
            }
            throw hash == nil ? SignInError.userNotFound : .wrongCredentials
        }
        if let passwordCheck, answers[passwordCheck].isEmpty { throw SignInError.wrongCredentials }
        guard let row = answers[reading].first, let account = try Account(row) else { throw SignInError.userNotFound }
        // Checked again now that the account's row is locked.
        try account.admit()
        let now = clock.milliseconds() / 1000
        return OpenSession(
            id: new.id,
            account: account,
            refreshToken: new.refreshToken,
            assurance: "aal1",
            methods: [OpenSession.Method(name: method.rawValue, seconds: now)]
        )
    }

    // MARK: Refreshing

    /// Refreshes a session, in two round trips and the commit. Concurrent requests with the same token, to this server
    /// or another, wait for the session's lock and get the same successor.
    ///
    /// Throws ``SignInError`` with a code that signs the user out only if the database says so; errors of the database
    /// are rethrown.
    func refresh(_ text: String, _ client: ClientInfo) async throws -> OpenSession {
        guard let token = RefreshToken(text) else { throw SignInError.unknownToken }
        let outcome: SessionRefresh.Outcome
        do {
            outcome = try await accounts.transaction { transaction in
                try await SessionRefresh(sessions: self, client: client, transaction: transaction).use(token)
            }
        } catch let error as PostgresError where error.state == .lockNotAvailable {
            throw SignInError(.conflict, "conflict", "Too many concurrent token refresh requests on the same session")
        }
        switch outcome {
        case .refreshed(let session): return session
        case .stolen: throw SignInError.usedToken
        }
    }

    // MARK: Ending

    /// Which sessions a sign-out ends.
    enum Scope: String, Sendable {
        case global
        case local
        case others
    }

    /// Deletes the sessions and, by cascade, their refresh tokens.
    func end(_ scope: Scope, of id: String, session: String?) async throws {
        try await accounts.withTables { tables in
            _ = try await database.query(ending(scope, of: id, session: session, tables))
        }
    }

    func ending(_ scope: Scope, of id: String, session: String?, _ tables: AccountTables) -> SQL {
        let condition: SQL =
            switch scope {
            case .global: "user_id = \(id)"
            case .local: "user_id = \(id) AND id = \(session)::uuid"
            case .others: "user_id = \(id) AND id IS DISTINCT FROM \(session)::uuid"
            }
        return ending(where: condition, tables)
    }

    /// Deletes the sessions that fulfil the condition, and has their access tokens refused everywhere.
    func ending(where condition: SQL, _ tables: AccountTables) -> SQL {
        let deletion: SQL = "DELETE FROM auth.sessions WHERE \(condition)"
        guard tables.hasEndedTokens else { return deletion }
        return EndedTokenSQL(lifetimeSeconds: settings.accessTokenSeconds).listing(
            "\(deletion) RETURNING id AS owner_id"
        )
    }

    /// Has the access tokens of an account refused everywhere, for as long as its ban lasts.
    func shuttingOut(_ id: String, banSeconds: Int? = nil, _ tables: AccountTables) -> [SQL] {
        guard tables.hasEndedTokens else { return [] }
        let lifetime = min(settings.accessTokenSeconds, banSeconds ?? settings.accessTokenSeconds)
        return [EndedTokenSQL(lifetimeSeconds: lifetime).listing("SELECT \(id)::uuid AS owner_id")]
    }

    /// Takes the account's tokens again.
    func lettingIn(_ id: String, _ tables: AccountTables) -> [SQL] {
        tables.hasEndedTokens ? [EndedTokenSQL.removal(of: id)] : []
    }
}
