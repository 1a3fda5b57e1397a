import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `GET /reauthenticate`: sends the caller a code, to be sent as `nonce` with a new password; by text if the
    /// account has no address.
    func reauthenticate(_ request: Request, _ context: Context) async throws -> Response {
        let account = try await caller(request).account
        let client = services.client(request)
        guard !account.email.isEmpty else { return try await reauthenticateByText(account, client) }
        let emails = try self.emails
        guard account.isEmailConfirmed else {
            throw SignInError(.unprocessableContent, "email_not_confirmed", "Please verify your email first.")
        }
        return try await emails.oncePerMinute(.reauthentication, account.email) {
            try await accounts.transaction { transaction in
                try await emails.write(
                    .reauthentication,
                    to: account.email,
                    of: account.id,
                    nil,
                    redirect: nil,
                    in: transaction
                )
                let note = AuditEntry(action: .reauthenticationRequested, address: client.address)
                try await transaction.run(transaction.tables.audit(note, of: account.id))
            }
            emails.announce()
            return .emptyObject
        }
    }

    private func reauthenticateByText(_ account: Account, _ client: ClientInfo) async throws -> Response {
        guard let number = PhoneNumber(rawValue: account.phone) else {
            throw SignInError.invalid("Reauthentication requires the user to have an email or a phone number")
        }
        let texts = try self.texts(for: "logins")
        guard account.isPhoneConfirmed else {
            throw SignInError(.unprocessableContent, "phone_not_confirmed", "Please verify your phone first.")
        }
        return try await texts.limited(to: number, client) {
            let note = AuditEntry(action: .reauthenticationRequested, address: client.address)
            try await texts.send(.phoneReauthentication, to: number, of: account.id) { $0.audit(note, of: account.id) }
            return .emptyObject
        }
    }

    /// The proof that a new password needs in a session older than a day; nil if it needs none. Wrong codes count for
    /// the rate limit.
    func reauthentication(
        _ fields: Fields,
        _ caller: Caller,
        _ client: ClientInfo
    ) async throws -> OneTimeTokens.Presented? {
        guard settings.requiresReauthentication, try fields.text("password") != nil,
            try await !isRecent(caller.sessionID, seconds: 86_400)
        else { return nil }
        return try await presentedNonce(fields, caller, client)
    }

    /// The code in `nonce`, which is the caller's.
    func presentedNonce(
        _ fields: Fields,
        _ caller: Caller,
        _ client: ClientInfo
    ) async throws -> OneTimeTokens.Presented {
        guard let nonce = try fields.text("nonce") else {
            throw SignInError(
                .badRequest,
                "reauthentication_needed",
                "Password update requires reauthentication"
            )
        }
        let address = caller.account.email.isEmpty ? caller.account.phone : caller.account.email
        try await services.limits.admit(account: address, by: .code, address: client.address)
        do {
            return try await services.tokens.takeReauthentication(
                code: nonce.trimmingBlanks() ?? "",
                of: caller.account.id,
                address: address
            )
        } catch let error as SignInError where error == .expiredCode {
            try await services.limits.recordFailure(account: address, by: .code, address: client.address)
            throw SignInError.wrongNonce
        }
    }

    /// Uses the code up, with what it allows.
    func redeem(_ code: OneTimeTokens.Presented, in transaction: AccountTransaction) async throws {
        do {
            _ = try await services.tokens.redeem(code, in: transaction)
        } catch let error as SignInError where error == .expiredCode {
            throw SignInError.wrongNonce
        }
    }

    /// Whether the session was opened within this time.
    func isRecent(_ sessionID: String?, seconds: Int) async throws -> Bool {
        guard let sessionID else { return false }
        let rows = try await accounts.database.query(
            "SELECT 1 FROM auth.sessions WHERE id = \(sessionID) AND created_at > now() - \(seconds) * interval '1 second'"
        )
        return !rows.isEmpty
    }
}

extension SignInError {
    fileprivate static let wrongNonce = SignInError(
        .unprocessableContent,
        "reauthentication_not_valid",
        "Nonce has expired or is invalid"
    )
}
