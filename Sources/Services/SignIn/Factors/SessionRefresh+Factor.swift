import SwiftletPostgres

extension SessionRefresh {
    /// Raises the caller's session to `aal2` in the caller's transaction, with a new refresh token. The token before it
    /// counts as used, so that a client which never receives the response can repeat it.
    ///
    /// The account's sessions without a second factor end. Throws ``SignInError`` 403 `session_not_found`.
    func raise(
        _ sessionID: String,
        of userID: String,
        by factor: Factor,
        _ method: AuthenticationMethod
    ) async throws -> OpenSession {
        guard let row = try await lock("\(sessionID)", thenRead: currentToken(of: sessionID)) else {
            throw SignInError.noSession
        }
        let (token, swap) = try swap(row, sessionID, userID)
        var claim = RowValues("mfa_amr_claims", tables.auth)
        claim.set("id", "gen_random_uuid()")
        claim.set("session_id", "\(sessionID)")
        claim.set("created_at", "now()")
        claim.set("updated_at", "now()")
        claim.set("authentication_method", "\(method.rawValue)")
        var group = StatementGroup(swap)
        group.append(contentsOf: [
            """
            \(claim.insertion) ON CONFLICT (session_id, authentication_method) DO UPDATE SET updated_at = now()
            """,
            update(sessionID) { row in
                row.set("aal", "'aal2'")
                row.set("factor_id", "\(factor.id)")
            },
            """
            DELETE FROM auth.sessions
            WHERE user_id = \(userID) AND id <> \(sessionID) AND coalesce(aal::text, 'aal1') = 'aal1'
            """,
        ])
        let reading = group.append(
            """
            SELECT \(sessionColumns), \(tables.sql.columns)
            FROM auth.sessions AS s JOIN auth.users AS u ON u.id = s.user_id WHERE s.id = \(sessionID)
            """
        )
        guard let raised = try await transaction.run(group)[reading].first else { throw SignInError.noSession }
        var session = try admitted(raised).open(with: token)
        session.isRefreshed = false
        return session
    }

    private func currentToken(of sessionID: String) -> SQL {
        let hasCounter = tables.has("sessions", "refresh_token_counter")
        let signed: SQL =
            hasCounter
            ? "s.refresh_token_hmac_key AS key, s.refresh_token_counter AS counter"
            : "NULL::text AS key, NULL::bigint AS counter"
        return """
            SELECT \(signed), (
                SELECT a.token FROM auth.refresh_tokens AS a
                WHERE a.session_id = s.id AND a.revoked IS NOT TRUE ORDER BY a.id DESC LIMIT 1
            ) AS current
            FROM auth.sessions AS s WHERE s.id = \(sessionID)
            """
    }

    /// The new token, and the statements that put it into the place of the current one.
    private func swap(_ row: Row, _ sessionID: String, _ userID: String) throws -> (token: String, statements: [SQL]) {
        if let counter = try row.decode(Int?.self, "counter"), counter < .max,
            let key = SignedRefreshToken.key(row["key"])
        {
            let token = try SignedRefreshToken.make(sessionID: sessionID, counter: counter + 1, key)
            return (token, [update(sessionID) { $0.set("refresh_token_counter", "\(counter + 1)") }])
        }
        let (token, current) = (RefreshToken.make(), row["current"])
        return (
            token,
            [
                """
                UPDATE auth.refresh_tokens SET revoked = true, updated_at = now()
                WHERE session_id = \(sessionID) AND revoked IS NOT TRUE
                """,
                SessionStatements(tables)
                    .insertion(ofToken: token, parent: current, sessionID: sessionID, userID: userID),
            ]
        )
    }
}
