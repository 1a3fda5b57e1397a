import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `DELETE /user` with `{"password":…}`, `{"nonce":…}` from `GET /reauthenticate`, or in a session younger than ten
    /// minutes: deletes the caller's account for good. GoTrue has no such endpoint; app stores ask for one.
    ///
    /// Its files, its waiting and failed jobs, the answers kept for it and the state of its synced copies go too. Rows of the app go or stay as its foreign keys
    /// say; where one forbids it, nothing is deleted.
    func deleteUser(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let caller = try await ownerOfData(request)
        let client = services.client(request)
        let code = try await proof(fields, caller, client)
        do {
            try await accounts.transaction { transaction in
                if let code { try await redeem(code, in: transaction) }
                let id = caller.account.id
                // That password would create the account again, see PasswordSignIn.
                let forgetting = transaction.tables.sql.forgetPassword(id).map { [$0] } ?? []
                let note = AuditEntry(
                    action: .deleted,
                    traits: [
                        "user_id": .string(id), "user_email": .string(caller.account.email),
                        "user_phone": .string(caller.account.phone),
                    ],
                    address: client.address
                )
                try await run(
                    transaction.tables.audit(note, of: id) + belongings(of: id, isOwner: true, in: transaction)
                        + ["DELETE FROM auth.users WHERE id = \(id)"]
                        + sessions.shuttingOut(id, transaction.tables) + forgetting,
                    inSessionOf: caller,
                    in: transaction
                )
            }
        } catch let error as PostgresError where error.state == .foreignKeyViolation {
            throw SignInError(.conflict, "conflict", "Data of the app refers to this account and keeps it")
        }
        await services.ended.refresh()
        return .emptyObject
    }

    /// What goes with the account. What others may need goes only if its owner deletes it.
    func belongings(
        of id: String,
        isOwner: Bool,
        in transaction: AccountTransaction
    ) async throws(PostgresError) -> [SQL] {
        let belongings = services.belongings.filter { isOwner || !$0.isShared }
        let rows = try await transaction.query(
            "SELECT name FROM unnest(\(belongings.map(\.table))::text[]) AS name WHERE to_regclass(name) IS NOT NULL"
        )
        let present = rows.compactMap { $0["name"] }
        // Codes that nobody has exchanged, with a provider's tokens: GoTrue's table has no key to the account.
        let codes: [SQL] =
            transaction.tables.hasFlowStates ? ["DELETE FROM auth.flow_state WHERE user_id = \(id)"] : []
        return codes + belongings.filter { present.contains($0.table) }.flatMap { $0.deletions(id) }
    }

    /// `GET /user/export`: what the server holds of the caller's account.
    func exportUser(_ request: Request, _ context: Context) async throws -> Response {
        let account = try await ownerOfData(request).account
        let rows = try await accounts.withTables { tables -> [Row] in
            let audit: SQL =
                tables.has("audit_log_entries", "payload")
                ? """
                SELECT jsonb_agg(jsonb_build_object('created_at', created_at, 'payload', payload) ORDER BY created_at)
                FROM (
                    SELECT created_at, payload FROM auth.audit_log_entries
                    WHERE payload ->> 'actor_id' = \(account.id) ORDER BY created_at DESC LIMIT \(Self.maximumEntries)
                ) AS entries
                """ : "SELECT NULL::jsonb"
            let passkeys: SQL =
                tables.hasPasskeys
                ? """
                SELECT jsonb_agg(
                    to_jsonb(k) - 'user_id' - 'public_key' - 'credential_id' ORDER BY k.created_at
                ) FROM auth.webauthn_credentials AS k WHERE k.user_id = \(account.id)
                """ : "SELECT NULL::jsonb"
            return try await accounts.database.query(
                """
                SELECT (
                    SELECT jsonb_agg(
                        to_jsonb(s) - 'refresh_token_hmac_key' - 'refresh_token_counter' ORDER BY s.created_at
                    ) FROM auth.sessions AS s WHERE s.user_id = \(account.id)
                )::text AS sessions, (\(passkeys))::text AS passkeys, (\(audit))::text AS audit
                """
            )
        }
        func list(_ name: String) throws -> JSONValue {
            try rows.first?[name].map { try JSONParser.parse(Array($0.utf8)) } ?? .array([])
        }
        let (sessions, passkeys, audit) = (try list("sessions"), try list("passkeys"), try list("audit"))
        return Response.json { json in
            json.object { json in
                json.key("user")
                account.write(to: &json)
                json.member("sessions", sessions)
                json.member("passkeys", passkeys)
                json.member("audit", audit)
            }
        }
    }

    /// The caller, in a session of the second factor if there is one.
    private func ownerOfData(_ request: Request) async throws -> Caller {
        let caller = try await caller(request)
        guard caller.hasUsedFactors else {
            throw SignInError(.unauthorized, "insufficient_aal", "AAL2 session is required")
        }
        return caller
    }

    /// Checks that it is the owner who asks. Returns the code that is to be used up.
    private func proof(
        _ fields: Fields,
        _ caller: Caller,
        _ client: ClientInfo
    ) async throws -> OneTimeTokens.Presented? {
        if let password = try fields.text("password"), caller.account.passwordHash?.isEmpty == false {
            try await checkCurrent(password, caller.account, client)
            return nil
        }
        if try fields.text("nonce") != nil {
            return try await presentedNonce(fields, caller, client)
        }
        // Nobody else can have an anonymous account's session.
        if caller.account.isAnonymous { return nil }
        guard try await isRecent(caller.sessionID, seconds: Self.recentSeconds) else {
            throw SignInError(
                .badRequest,
                "reauthentication_needed",
                "Deleting the account requires reauthentication"
            )
        }
        return nil
    }

    private static let recentSeconds = 600
    /// The newest entries of the audit log in an export.
    private static let maximumEntries = 10_000
}
