import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Codes on paper for who has lost the device of a second factor.
extension AuthAPI {
    @FunctionBuilder var recoveryCodeRoutes: [FunctionPart] {
        Get("/v1/factors/recovery-codes", serve(Self.recoveryCodes))
        Post("/v1/factors/recovery-codes", serve(Self.makeRecoveryCodes))
        Post("/v1/factors/recovery-codes/regenerate", serve(Self.remakeRecoveryCodes))
        Post("/v1/factors/recovery-codes/verify", serve(Self.verifyRecoveryCode))
        Delete("/v1/factors/recovery-codes", serve(Self.deleteRecoveryCodes))
    }

    /// `GET /factors/recovery-codes`: how many there are, and are left.
    func recoveryCodes(_ request: Request, _ context: Context) async throws -> Response {
        let (caller, _) = try await factorOwner(request)
        guard let set = try await recoveryCodeSet(of: caller.account.id) else { throw SignInError.noRecoveryCodes }
        return .json(
            .ok,
            [
                "id": .string(set.factor.id), "type": "recovery_code", "total": JSONValue(set.total),
                "remaining": JSONValue(set.remaining),
            ]
        )
    }

    /// `POST /factors/recovery-codes`: new codes, which are shown this once.
    func makeRecoveryCodes(_ request: Request, _ context: Context) async throws -> Response {
        let (caller, _) = try await recoveryCodeOwner(request, "generate")
        let typed = try Self.limited(Fields(request).text("friendly_name") ?? "", "friendly_name")
        let name = typed.allSatisfy(\.isWhitespace) ? Self.recoveryCodesName : typed
        let (account, id, set) = (caller.account, RandomID.make(), RandomID.make())
        let codes = try newCodes()
        let notice = try services.emails?.telling(.factorEnrolled, "recovery codes", to: account.email, of: account.id)
        do {
            try await accounts.transaction { transaction in
                let statements = try recoveryStatements(transaction.tables)
                let locked = try await transaction.lockedAccount(account.id)
                guard try await transaction.query(statements.selection(of: account.id)).isEmpty else {
                    throw SignInError.hasRecoveryCodes
                }
                guard locked.hasVerifiedFactor else { throw SignInError.onlyRecoveryCodes("generate recovery codes") }
                if locked.factors.contains(where: { $0.name == name }) {
                    throw SignInError.factorExists(name)
                }
                try await transaction.run(
                    statements.insertion(of: set, id, named: name, for: account.id)
                        + statements.replacement(of: set, by: try codes.map { try $0.hash(for: account.id) })
                        + transaction.tables.audit(note(.recoveryCodesGenerated, id, request), of: account.id)
                        + (notice ?? [])
                )
            }
        } catch let error as PostgresError where error.state == .uniqueViolation {
            throw SignInError.hasRecoveryCodes
        }
        services.emails?.announce()
        return .recoveryCodes(codes, id, name)
    }

    /// `POST /factors/recovery-codes/regenerate`: new codes in place of all others.
    func remakeRecoveryCodes(_ request: Request, _ context: Context) async throws -> Response {
        let (caller, _) = try await recoveryCodeOwner(request, "regenerate")
        let userID = caller.account.id
        let codes = try newCodes()
        let notice = try services.emails?.telling(.recoveryCodesRegenerated, to: caller.account.email, of: userID)
        let factor = try await accounts.transaction { transaction in
            let statements = try recoveryStatements(transaction.tables)
            _ = try await transaction.lockedAccount(userID)
            guard let row = try await transaction.query(statements.selection(of: userID)).first,
                let set = try RecoveryCodeSet(row)
            else { throw SignInError.noRecoveryCodes }
            try await transaction.run(
                statements.replacement(of: set.id, by: try codes.map { try $0.hash(for: userID) })
                    + transaction.tables.audit(note(.recoveryCodesRegenerated, set.factor.id, request), of: userID)
                    + (notice ?? [])
            )
            return set.factor
        }
        services.emails?.announce()
        return .recoveryCodes(codes, factor.id, factor.name)
    }

    /// `DELETE /factors/recovery-codes`.
    func deleteRecoveryCodes(_ request: Request, _ context: Context) async throws -> Response {
        let (caller, _) = try await factorOwner(request)
        guard caller.assurance != "aal1" else {
            throw SignInError(.forbidden, "insufficient_aal", "AAL2 required to delete recovery codes")
        }
        guard let set = try await recoveryCodeSet(of: caller.account.id) else { throw SignInError.noRecoveryCodes }
        try await remove(
            set.factor,
            of: caller.account,
            named: "recovery codes",
            noting: note(.recoveryCodesDeleted, set.factor.id, request)
        )
        return .json(.ok, ["id": .string(set.factor.id)])
    }

    /// `POST /factors/recovery-codes/verify`: raises the caller's session to `aal2` for a code, which counts once.
    /// Wrong codes lock the codes of the account, and the address, as wrong passwords do.
    func verifyRecoveryCode(_ request: Request, _ context: Context) async throws -> Response {
        let (caller, sessionID) = try await factorOwner(request)
        guard settings.factors.canVerifyRecoveryCodes else { throw SignInError.noRecoveryCodeVerification }
        guard let typed = try Fields(request).text("code")?.trimmingBlanks(),
            typed.contains(where: { !$0.isWhitespace && $0 != "-" })
        else {
            throw SignInError.invalid("Code needs to be non-empty")
        }
        let (account, client) = (caller.account, services.client(request))
        let name = account.email.isEmpty ? account.id : account.email
        let session: OpenSession
        do {
            try await services.limits.admit(account: name, by: .recoveryCode, address: client.address)
            session = try await redeem(RecoveryCode(typed: typed), account, sessionID, request)
            try await services.limits.recordSuccess(account: name, by: .recoveryCode, address: client.address)
        } catch let rejection as FactorRejection {
            try await services.limits.recordFailure(account: name, by: .recoveryCode, address: client.address)
            try await sessions.end(.global, of: account.id, session: nil)
            await services.ended.refresh()
            throw SignInError(.forbidden, "mfa_verification_rejected", rejection.message)
        } catch let error as SignInError where error == .wrongRecoveryCode {
            do {
                try await services.limits.recordFailure(account: name, by: .recoveryCode, address: client.address)
            } catch let error as SignInError where error.status == .tooManyRequests {
                throw SignInError.lockedRecoveryCodes(error)
            }
            throw error
        } catch let error as SignInError where error.status == .tooManyRequests {
            throw SignInError.lockedRecoveryCodes(error)
        }
        return try await services.answer(session, to: request)
    }

    private func redeem(
        _ code: RecoveryCode?,
        _ account: Account,
        _ sessionID: String,
        _ request: Request
    ) async throws -> OpenSession {
        guard let set = try await recoveryCodeSet(of: account.id) else { throw SignInError.wrongRecoveryCode }
        let id = try await matching(code, in: set, of: account)
        let client = services.client(request)
        try await askHook(set.factor, account, isValid: id != nil, client)
        guard let id else { throw SignInError.wrongRecoveryCode }
        let session = try await accounts.transaction { transaction in
            let statements = try recoveryStatements(transaction.tables)
            var group = StatementGroup([AccountStatements.lock(on: account.id)])
            let use = group.append(statements.use(of: id))
            let status = group.append(statements.selection(of: account.id))
            let answers = try await transaction.run(group)
            guard !answers[use].isEmpty else { throw SignInError.wrongRecoveryCode }
            let left = try answers[status].first.flatMap(RecoveryCodeSet.init)?.remaining ?? 0
            let notice = try services.emails?
                .telling(.recoveryCodeUsed, String(left), to: account.email, of: account.id)
            try await transaction.run(
                transaction.tables.audit(note(.recoveryCodesVerified, set.factor.id, request), of: account.id)
                    + (notice ?? [])
            )
            return try await SessionRefresh(sessions: sessions, client: client, transaction: transaction)
                .raise(sessionID, of: account.id, by: set.factor, .recoveryCode)
        }
        services.emails?.announce()
        return session
    }

    /// The unused code that was typed, of those that are stored here, or by GoTrue, whose hashes take a while.
    private func matching(_ code: RecoveryCode?, in set: RecoveryCodeSet, of account: Account) async throws -> String? {
        guard let code else { return nil }
        let rows = try await accounts.withTables { tables in
            try await accounts.database.query(recoveryStatements(tables).unused(in: set.id))
        }
        let own = try code.hash(for: account.id)
        for row in rows {
            guard let hash = row["hash"], let id = row["id"] else { continue }
            if hash.hasPrefix(RecoveryCode.prefix) {
                if MessageDigest.isEqual(hash, own) { return id }
            } else if try await services.passwords.matches(code.text, hash: hash) {
                return id
            }
        }
        return nil
    }

    /// The caller, who may have new codes. Throws ``SignInError`` 403 below `aal2`.
    private func recoveryCodeOwner(_ request: Request, _ verb: String) async throws -> (Caller, String) {
        let (caller, sessionID) = try await factorOwner(request)
        guard settings.factors.canEnrollRecoveryCodes else { throw SignInError.noRecoveryCodeEnrollment }
        guard caller.assurance != "aal1" else {
            throw SignInError(.forbidden, "insufficient_aal", "AAL2 required to \(verb) recovery codes")
        }
        return (caller, sessionID)
    }

    private func recoveryCodeSet(of userID: String) async throws -> RecoveryCodeSet? {
        try await accounts.withTables { tables in
            guard tables.hasRecoveryCodes else { return nil }
            let rows = try await accounts.database.query(RecoveryCodeStatements(tables: tables).selection(of: userID))
            return try rows.first.flatMap(RecoveryCodeSet.init)
        }
    }

    private func recoveryStatements(_ tables: AccountTables) throws(SignInError) -> RecoveryCodeStatements {
        guard tables.hasRecoveryCodes else { throw SignInError.noRecoveryCodeEnrollment }
        return RecoveryCodeStatements(tables: tables)
    }

    private static let recoveryCodesName = "Recovery codes"

    private func newCodes() throws -> [RecoveryCode] {
        try (0..<settings.factors.recoveryCodes).map { _ in try RecoveryCode() }
    }

    private func note(_ action: AuditEntry.Action, _ factorID: String, _ request: Request) -> AuditEntry {
        AuditEntry(
            action: action,
            traits: ["factor_id": .string(factorID)],
            address: services.client(request).address
        )
    }
}

extension Response {
    fileprivate static func recoveryCodes(_ codes: [RecoveryCode], _ id: String, _ name: String) -> Response {
        .json { json in
            json.object { json in
                json.member("id", id)
                json.member("type", "recovery_code")
                if !name.isEmpty { json.member("friendly_name", name) }
                json.member("total", codes.count)
                json.member("codes", .array(codes.map { .string($0.text) }))
            }
        }
    }
}
