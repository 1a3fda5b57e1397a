import Auth
import HTTP
import JSON
import Postgres
import Swiftlet

/// Opens, refreshes and ends the sessions in the database.
struct SessionStore: Sendable {
    let accounts: AccountStore
    let settings: SignInSettings
    let clock: ServerClock

    init(_ accounts: AccountStore, _ settings: SignInSettings, clock: ServerClock = .system) {
        self.accounts = accounts
        self.settings = settings
        self.clock = clock
    }

    var database: AccountDatabase { accounts.database }

    /// Opens a session, in one transaction and one round trip with the statements that `first` returns. `method` is how
    /// the user was authenticated.
    ///
    /// With a hash, which the password has been checked against, only if it is still the account's; else throws
    /// ``SignInError`` 400 `invalid_credentials`. Changing a password ends the sessions of those who know the old one,
    /// who might be signing in at this moment. The account's row is locked while the hash is compared, so that either
    /// the change finds this session, or this finds the new hash.
    func open(
        for id: String,
        _ method: String,
        _ client: ClientInfo,
        ifPasswordHashIs hash: String? = nil,
        after first: (AccountTables) -> [SQL] = { _ in [] }
    ) async throws -> OpenSession {
        try await accounts.transaction { transaction in
            try await open(
                for: id,
                method,
                client,
                ifPasswordHashIs: hash,
                after: first(transaction.tables),
                in: transaction
            )
        }
    }

    /// The same in the caller's transaction.
    func open(
        for id: String,
        _ method: String,
        _ client: ClientInfo,
        ifPasswordHashIs hash: String? = nil,
        after first: [SQL],
        in transaction: AccountTransaction
    ) async throws -> OpenSession {
        let sessionID = RandomID.make()
        let token = RefreshToken.make()
        var group = StatementGroup()
        let passwordCheck = hash.map { hash in
            group.append("SELECT 1 FROM auth.users WHERE id = \(id) AND encrypted_password = \(hash) FOR NO KEY UPDATE")
        }
        group.append(contentsOf: first)
        group.append(contentsOf: opening(sessionID, of: id, token, method, client, transaction.tables))
        let reading = group.append(transaction.statements.selection(of: id))
        let answers: StatementGroup.Answers
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
        // Checked again now that the account's row is locked: a concurrent ban has already ended all sessions.
        try account.admit()
        let now = clock.milliseconds() / 1000
        return OpenSession(
            id: sessionID,
            account: account,
            refreshToken: token,
            assurance: "aal1",
            methods: [OpenSession.Method(name: method, seconds: now)]
        )
    }

    private func opening(
        _ sessionID: String,
        of id: String,
        _ token: String,
        _ method: String,
        _ client: ClientInfo,
        _ tables: AccountTables
    ) -> [SQL] {
        var session = RowValues("sessions", tables.auth)
        session.set("id", "\(sessionID)")
        session.set("user_id", "\(id)")
        session.set("created_at", "now()")
        session.set("updated_at", "now()")
        session.set("aal", "'aal1'")
        session.set("user_agent", "\(client.userAgent)")
        session.set("ip", "nullif(\(client.address)::text, '')::inet")
        var claim = RowValues("mfa_amr_claims", tables.auth)
        claim.set("id", "gen_random_uuid()")
        claim.set("session_id", "\(sessionID)")
        claim.set("created_at", "now()")
        claim.set("updated_at", "now()")
        claim.set("authentication_method", "\(method)")
        let note = tables.sql.noteLogin(id).map { [$0] } ?? []
        let signIn = tables.statements.update(of: id) { $0.set("last_sign_in_at", "now()") }
        return [
            session.insertion, tokenInsertion(token, parent: nil, of: id, sessionID, tables), claim.insertion, signIn,
        ] + note
    }

    /// `user_id` is a string in this table only.
    func tokenInsertion(
        _ token: String,
        parent: String?,
        of id: String,
        _ sessionID: String,
        _ tables: AccountTables
    ) -> SQL {
        var row = RowValues("refresh_tokens", tables.auth)
        row.set("instance_id", "\(AccountSQL.instance)")
        row.set("token", "\(token)")
        row.set("user_id", "\(id)")
        row.set("revoked", "false")
        row.set("parent", "\(parent)")
        row.set("session_id", "\(sessionID)")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return row.insertion
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
        try await database.query(ending(scope, of: id, session: session))
    }

    func ending(_ scope: Scope, of id: String, session: String?) -> SQL {
        switch scope {
        case .global: "DELETE FROM auth.sessions WHERE user_id = \(id)"
        case .local: "DELETE FROM auth.sessions WHERE user_id = \(id) AND id = \(session)::uuid"
        case .others: "DELETE FROM auth.sessions WHERE user_id = \(id) AND id IS DISTINCT FROM \(session)::uuid"
        }
    }
}
