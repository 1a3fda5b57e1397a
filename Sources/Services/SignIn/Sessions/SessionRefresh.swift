import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// One use of a refresh token, within a transaction.
struct SessionRefresh {
    let sessions: SessionStore
    let client: ClientInfo
    let transaction: AccountTransaction

    var tables: AccountTables { transaction.tables }

    /// A stolen token is not an error inside the transaction, because its consequences must be committed.
    enum Outcome {
        case refreshed(OpenSession)
        case stolen
    }

    func use(_ token: RefreshToken) async throws -> Outcome {
        switch token {
        case .stored(let token): try await use(token)
        case .signed(let token): try await use(token)
        }
    }

    // MARK: Tokens with a row

    private func use(_ token: String) async throws -> Outcome {
        let sessionID: SQL = "SELECT session_id FROM auth.refresh_tokens WHERE token = \(token)"
        guard let row = try await lock(sessionID, thenRead: selection(ofToken: token)) else {
            throw SignInError.unknownToken
        }
        let session = try admitted(row)
        let decision = RefreshDecision(
            isUsed: try row.decode(Bool.self, "used"),
            child: row["child"],
            current: row["current"],
            secondsSinceUse: try row.decode(Double?.self, "age") ?? .infinity,
            reuseInterval: sessions.settings.reuseIntervalSeconds
        )
        switch decision {
        case .advance:
            let next = RefreshToken.make()
            try await transaction.run(
                [
                    "UPDATE auth.refresh_tokens SET revoked = true, updated_at = now() WHERE token = \(token)",
                    SessionStatements(tables)
                        .insertion(ofToken: next, parent: token, sessionID: session.id, userID: session.account.id),
                    update(session.id),
                ] + SessionSweep.usedTokens(of: session.id, tables)
            )
            return .refreshed(try session.open(with: next))
        case .repeatCurrent(let current):
            try await transaction.query(update(session.id))
            return .refreshed(try session.open(with: current))
        case .stolen: return try await stolen(session.id)
        }
    }

    private func selection(ofToken token: String) -> SQL {
        """
        SELECT t.revoked IS TRUE AS used, extract(epoch FROM clock_timestamp() - t.updated_at)::float8 AS age, (
            SELECT c.token FROM auth.refresh_tokens AS c
            WHERE c.session_id = t.session_id AND c.parent = t.token AND c.revoked IS NOT TRUE
            ORDER BY c.id DESC LIMIT 1
        ) AS child, (
            SELECT a.token FROM auth.refresh_tokens AS a
            WHERE a.session_id = t.session_id AND a.revoked IS NOT TRUE ORDER BY a.id DESC LIMIT 1
        ) AS current, \(sessionColumns), \(tables.sql.columns)
        FROM auth.refresh_tokens AS t LEFT JOIN auth.sessions AS s ON s.id = t.session_id
            LEFT JOIN auth.users AS u ON u.id = s.user_id
        WHERE t.token = \(token)
        """
    }

    // MARK: Tokens with a counter

    private func use(_ token: SignedRefreshToken) async throws -> Outcome {
        guard tables.has("sessions", "refresh_token_counter") else { throw SignInError.unknownToken }
        guard let row = try await lock("\(token.sessionID)", thenRead: selection(ofSession: token.sessionID)),
            let counter = try row.decode(Int?.self, "counter"),
            let key = SignedRefreshToken.key(row["key"]), token.isSigned(by: key)
        else { throw SignInError.unknownToken }
        let session = try admitted(row)
        guard token.counter <= counter, counter < .max else {
            throw SignInError.invalid("Invalid Refresh Token: Not Issued By This Server")
        }
        let decision = RefreshDecision(
            counter: token.counter,
            sessionCounter: counter,
            current: try SignedRefreshToken.make(sessionID: session.id, counter: counter, key),
            secondsSinceUse: try row.decode(Double?.self, "age") ?? .infinity,
            reuseInterval: sessions.settings.reuseIntervalSeconds
        )
        switch decision {
        case .advance:
            let next = try SignedRefreshToken.make(sessionID: session.id, counter: counter + 1, key)
            try await transaction.query(update(session.id) { $0.set("refresh_token_counter", "\(counter + 1)") })
            return .refreshed(try session.open(with: next))
        case .repeatCurrent(let current): return .refreshed(try session.open(with: current))
        case .stolen: return try await stolen(session.id)
        }
    }

    private func selection(ofSession id: String) -> SQL {
        """
        SELECT extract(epoch FROM (clock_timestamp() AT TIME ZONE 'UTC') - coalesce(
            s.refreshed_at, s.created_at AT TIME ZONE 'UTC'
        ))::float8 AS age, s.refresh_token_hmac_key AS key, s.refresh_token_counter AS counter,
            \(sessionColumns), \(tables.sql.columns)
        FROM auth.sessions AS s LEFT JOIN auth.users AS u ON u.id = s.user_id WHERE s.id = \(id)
        """
    }

    // MARK: Both

    /// Locks the session, and reads a row in the same round trip: in a statement after the lock, to see what others
    /// have committed meanwhile.
    func lock(_ sessionID: SQL, thenRead selection: SQL) async throws -> Row? {
        var group = StatementGroup([
            Self.lockTimeout, "SELECT FROM auth.sessions WHERE id = (\(sessionID)) FOR UPDATE",
        ])
        let reading = group.append(selection)
        return try await transaction.run(group)[reading].first
    }

    /// A request that waits longer for the lock gets a 409, which does not end the session.
    private static let lockTimeout: SQL = "SELECT set_config('lock_timeout', '4000', true)"

    var sessionColumns: SQL {
        """
        s.id::text AS session_id, coalesce(s.aal::text, 'aal1') AS aal,
        \(SessionEnd.reason(sessions.settings, tables)) AS ended, (
            SELECT jsonb_agg(
                jsonb_build_object('method', m.authentication_method, 'at', extract(epoch FROM m.updated_at)::bigint)
                ORDER BY m.updated_at DESC
            )
            FROM auth.mfa_amr_claims AS m WHERE m.session_id = s.id
        )::text AS methods
        """
    }

    /// The session of a row with ``sessionColumns`` and ``AccountSQL/columns``. Throws ``SignInError`` 400 if there is
    /// none, if it has expired, or if its user is banned.
    func admitted(_ row: Row) throws -> ReadSession {
        guard let id = row["session_id"], let account = try Account(row) else {
            throw SignInError(.badRequest, "session_not_found", "Invalid Refresh Token: No Valid Session Found")
        }
        guard account.isActive else {
            throw SignInError(.badRequest, "user_banned", "Invalid Refresh Token: User Banned")
        }
        if let reason = row["ended"] {
            throw SignInError(.badRequest, "session_expired", "Invalid Refresh Token: Session Expired\(reason)")
        }
        return ReadSession(id: id, account: account, row: row)
    }

    /// Ends the session if so configured. Without its row, its access tokens are refused at `/user` as well.
    private func stolen(_ sessionID: String) async throws -> Outcome {
        if sessions.settings.endsStolenSessions {
            try await transaction.query(sessions.ending(where: "id = \(sessionID)", tables))
        }
        return .stolen
    }

    /// Updates the session's row. `refreshed_at` is in UTC without a zone.
    func update(_ sessionID: String, _ more: (inout RowValues) -> Void = { _ in }) -> SQL {
        var row = RowValues("sessions", tables.auth)
        row.set("updated_at", "now()")
        row.set("refreshed_at", "now() AT TIME ZONE 'UTC'")
        row.set("user_agent", "\(client.userAgent)")
        row.set("ip", "nullif(\(client.address)::text, '')::inet")
        more(&row)
        return row.update(where: "id = \(sessionID)")
    }

    /// A session as it has been read, which may be refreshed.
    struct ReadSession {
        let id: String
        let account: Account
        let row: Row

        func open(with token: String) throws -> OpenSession {
            let methods = try row["methods"].map { try JSONParser.parse(Array($0.utf8)) }?.array ?? []
            return OpenSession(
                id: id,
                account: account,
                refreshToken: token,
                assurance: row["aal"] ?? "aal1",
                methods: methods.map {
                    OpenSession.Method(name: $0["method"]?.string ?? "", seconds: $0["at"]?.int ?? 0)
                },
                isRefreshed: true
            )
        }
    }
}
