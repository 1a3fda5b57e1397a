import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /factors/:id/verify`: raises the caller's session to `aal2` for the code, or the authenticator's signature,
    /// that answers a challenge.
    ///
    /// A code counts once, and so does a challenge. Wrong ones lock the account's factors as wrong passwords lock
    /// passwords.
    func verifyFactor(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let (caller, sessionID) = try await factorOwner(request)
        let factor = try factor(context, of: caller.account)
        try admit(factor, caller)
        guard let challenge = try fields.text("challenge_id").flatMap(RandomID.normalized) else {
            throw SignInError.invalid("challenge_id must be an UUID")
        }
        let client = services.client(request)
        let name = caller.account.email.isEmpty ? caller.account.id : caller.account.email
        try await services.limits.admit(account: name, by: .factor, address: client.address)
        let session: OpenSession
        do {
            session =
                factor.type == "webauthn"
                ? try await verifyAuthenticator(fields, challenge, factor, caller, sessionID, client)
                : try await verifyCode(fields, challenge, factor, caller, sessionID, client)
        } catch let rejection as FactorRejection {
            try await services.limits.recordFailure(account: name, by: .factor, address: client.address)
            try await sessions.end(.global, of: caller.account.id, session: nil)
            await services.ended.refresh()
            throw SignInError(.forbidden, "mfa_verification_rejected", rejection.message)
        } catch let error as SignInError where error.code == SignInError.wrongFactorCode.code {
            try await services.limits.recordFailure(account: name, by: .factor, address: client.address)
            throw error
        }
        try await services.limits.recordSuccess(account: name, by: .factor, address: client.address)
        services.emails?.announce()
        return try await services.answer(session, to: request)
    }

    private func verifyCode(
        _ fields: Fields,
        _ challenge: String,
        _ factor: Factor,
        _ caller: Caller,
        _ sessionID: String,
        _ client: ClientInfo
    ) async throws -> OpenSession {
        if factor.type == "phone" {
            guard settings.factors.canVerifyPhone, services.texts != nil else { throw SignInError.noPhoneVerification }
        } else {
            guard factor.type == "totp", settings.factors.canVerifyTOTP else { throw SignInError.noTOTPVerification }
        }
        guard let code = try fields.text("code")?.trimmingBlanks(), !code.isEmpty else {
            throw SignInError.invalid("Code needs to be non-empty")
        }
        try await askHook(challenge, code, factor, caller.account, client)
        return try await accounts.transaction { transaction in
            try await answer(challenge, code, factor, caller.account, sessionID, client, in: transaction)
        }
    }

    private func answer(
        _ challenge: String,
        _ code: String,
        _ factor: Factor,
        _ account: Account,
        _ sessionID: String,
        _ client: ClientInfo,
        in transaction: AccountTransaction
    ) async throws -> OpenSession {
        let statements = FactorStatements(tables: transaction.tables)
        let lifetime = settings.factors.challengeSeconds
        var group = StatementGroup([AccountStatements.lock(on: account.id)])
        let selection = group.append(
            statements.selection(ofChallenge: challenge, to: factor, lifetimeSeconds: lifetime)
        )
        guard let row = try await transaction.run(group)[selection].first else { throw SignInError.noChallenge }
        if factor.type == "phone" {
            guard try isTexted(code, challenge, factor, row, client) else { throw SignInError.wrongTextedCode }
        } else {
            guard let step = try step(of: code, row, client),
                try await !transaction.query(statements.use(ofStep: step, by: factor)).isEmpty
            else { throw SignInError.wrongFactorCode }
        }
        let note = AuditEntry(
            action: .verificationAttempted,
            traits: ["factor_id": .string(factor.id), "challenge_id": .string(challenge)],
            address: client.address
        )
        try await transaction.run(
            [statements.use(ofChallenge: challenge)] + transaction.tables.audit(note, of: account.id)
        )
        if !factor.isVerified {
            let notice = try services.emails?.telling(
                .factorEnrolled,
                factor.type,
                to: account.email,
                of: account.id
            )
            try await transaction.run(statements.verification(of: factor, of: account.id) + (notice ?? []))
        }
        return try await SessionRefresh(sessions: sessions, client: client, transaction: transaction)
            .raise(sessionID, of: account.id, by: factor, factor.type == "phone" ? .phoneFactor : .totp)
    }

    /// Lets the operator's hook refuse the attempt, before the transaction: a slow hook must hold neither its lock nor its
    /// connection. Throws ``FactorRejection``.
    private func askHook(
        _ challenge: String,
        _ code: String,
        _ factor: Factor,
        _ account: Account,
        _ client: ClientInfo
    ) async throws {
        guard services.hooks.has(.factorVerificationAttempt) else { return }
        let lifetime = settings.factors.challengeSeconds
        let rows = try await accounts.withTables { tables in
            try await accounts.database.query(
                FactorStatements(tables: tables)
                    .selection(ofChallenge: challenge, to: factor, lifetimeSeconds: lifetime)
            )
        }
        guard let row = rows.first else { throw SignInError.noChallenge }
        let isValid =
            factor.type == "phone"
            ? try isTexted(code, challenge, factor, row, client) : try step(of: code, row, client) != nil
        try await askHook(factor, account, isValid: isValid, client)
    }

    func askHook(_ factor: Factor, _ account: Account, isValid: Bool, _ client: ClientInfo) async throws {
        guard services.hooks.has(.factorVerificationAttempt) else { return }
        let decision = try await services.hooks.factorAttempt(
            of: account.id,
            factor,
            isValid: isValid,
            from: client.address
        )
        if decision.isRejected { throw FactorRejection(message: decision.message) }
    }

    /// Whether the code is the one that was sent to the factor's number. Throws ``SignInError`` if the challenge can no
    /// longer be answered.
    private func isTexted(
        _ code: String,
        _ challenge: String,
        _ factor: Factor,
        _ row: Row,
        _ client: ClientInfo
    ) throws -> Bool {
        try Self.admitChallenge(row, client)
        return try services.texts?.tokens.isCode(code, ofChallenge: challenge, number: factor.phone) ?? false
    }

    /// The time step of the code; nil for a wrong one. Throws ``SignInError`` if the challenge can no longer be answered.
    private func step(of code: String, _ challenge: Row, _ client: ClientInfo) throws -> Int? {
        try Self.admitChallenge(challenge, client)
        guard let totp = challenge["secret"].flatMap(TOTP.init(base32:)) else {
            // Encrypted by GoTrue, with a key that is not here.
            throw SignInError(.internalServerError, "unexpected_failure", "This factor's secret cannot be read")
        }
        return try totp.step(of: code, atSeconds: sessions.clock.milliseconds() / 1000)
    }

    /// Throws ``SignInError`` 422 if the challenge can no longer be answered, or not from there.
    static func admitChallenge(_ challenge: Row, _ client: ClientInfo) throws {
        guard try !challenge.decode(Bool.self, "is_used"),
            isSameNetwork(challenge["address"] ?? "", client.address)
        else { throw SignInError.wrongChallenge }
        guard try !challenge.decode(Bool.self, "has_expired") else { throw SignInError.expiredChallenge }
    }

    /// Mobile clients change their IPv6 address within their network.
    private static func isSameNetwork(_ stored: String, _ current: String) -> Bool {
        let (stored, current) = (IPAddress(stored)?.network, IPAddress(current)?.network)
        return stored == current || (current == nil && stored == "0.0.0.0")
    }
}

/// The operator's hook refuses the attempt, which ends all sessions of the account, as in GoTrue.
struct FactorRejection: Error {
    let message: String
}

extension SignInError {
    static let wrongTextedCode = SignInError(
        .unprocessableContent,
        "mfa_verification_failed",
        "Invalid MFA Phone code entered"
    )
    static let noChallenge = SignInError(
        .unprocessableContent,
        "mfa_factor_not_found",
        "MFA factor with the provided challenge ID not found"
    )
    fileprivate static let wrongChallenge = SignInError(
        .unprocessableContent,
        "mfa_ip_address_mismatch",
        "Challenge and verify IP addresses mismatch."
    )
    fileprivate static let expiredChallenge = SignInError(
        .unprocessableContent,
        "mfa_challenge_expired",
        "MFA challenge has expired, verify against another challenge or create a new challenge."
    )
}
