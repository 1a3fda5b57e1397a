import SwiftletBytes
import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /passkeys/authentication/options`: what a device signs. It names no account and no passkey, so the answer
    /// is of the same form for everybody.
    func passkeyOptions(_ request: Request, _ context: Context) async throws -> Response {
        try requirePasskeys()
        if let wait = try await services.passkeyLimit.take(address: services.client(request).address) {
            throw SignInError.tooManyRequests(retryAfterSeconds: wait)
        }
        let challenge = try PasskeyChallenge(.authentication, settings.passkeys)
        let options = PasskeyOptions(settings: settings.passkeys).request(challenge.text)
        return try await answer(challenge, options, for: nil)
    }

    /// `POST /passkeys/authentication/verify`: a session for the account whose passkey has signed.
    func signInByPasskey(_ request: Request, _ context: Context) async throws -> Response {
        try requirePasskeys()
        let fields = try Fields(request)
        guard let object = try fields.object("credential") else {
            throw SignInError.invalid("credential is required")
        }
        let challenge = try await usedChallenge(fields, .authentication)
        let client = services.client(request)
        let assertion: AssertionResponse
        do {
            assertion = try AssertionResponse(object)
        } catch {
            throw SignInError.refused(error)
        }
        let found = try await find(assertion)
        // Counted by the credential where nobody has it, under a name that no account has.
        let name =
            found.map { $0.account.email.isEmpty ? $0.account.id : $0.account.email }
            ?? "credential:\(Base64URL.encode(assertion.credentialID.span))"
        try await services.limits.admit(account: name, by: .passkey, address: client.address)
        let isMeant = try await means(assertion, found?.account)
        do throws(PasskeyFault) {
            guard let found, let credential = found.passkey.credential, isMeant else { throw .unknownCredential }
            try relyingParty.verify(
                assertion,
                by: credential,
                answering: challenge.bytes,
                requiresVerification: challenge.requiresVerification
            )
        } catch {
            try await services.limits.recordFailure(account: name, by: .passkey, address: client.address)
            throw SignInError.refused(error)
        }
        guard let found else { throw SignInError.refused(.unknownCredential) }
        try Self.admitToPasskey(found.account)
        let session = try await open(found, assertion, client)
        try await services.limits.recordSuccess(account: name, by: .passkey, address: client.address)
        return try await services.answer(session, to: request)
    }

    /// Whether the account that the device means is the one that has the passkey: the same, or one that is gone since it
    /// was merged with that.
    private func means(_ assertion: AssertionResponse, _ account: Account?) async throws -> Bool {
        guard let account, let handle = assertion.userHandle else { return false }
        if handle == Array(account.id.utf8) { return true }
        guard let id = UUID(uuidString: String(decoding: handle, as: UTF8.self)) else { return false }
        let rows = try await accounts.database.query(
            "SELECT 1 FROM auth.users WHERE id = \(id.uuidString)::uuid"
        )
        return rows.isEmpty
    }

    private func find(_ assertion: AssertionResponse) async throws -> (passkey: Passkey, account: Account)? {
        let rows = try await accounts.withTables { tables in
            try await accounts.database.query(passkeyStatements(tables).selection(ofCredential: assertion.credentialID))
        }
        guard let row = rows.first, let account = try Account(row) else { return nil }
        let passkey = try Passkey(row)
        guard passkey.credential != nil else { return nil }
        return (passkey, account)
    }

    private static func admitToPasskey(_ account: Account) throws(SignInError) {
        guard !account.isDeleted else { throw SignInError(.forbidden, "user_not_found", "User not found") }
        if !account.email.isEmpty, !account.isConfirmed {
            throw SignInError(.forbidden, "email_not_confirmed", "Email not confirmed")
        }
        if !account.phone.isEmpty, !account.isPhoneConfirmed {
            throw SignInError(.forbidden, "phone_not_confirmed", "Phone not confirmed")
        }
        guard account.isActive else { throw SignInError(.forbidden, "user_banned", "User is banned") }
    }

    private func open(
        _ found: (passkey: Passkey, account: Account),
        _ assertion: AssertionResponse,
        _ client: ClientInfo
    ) async throws -> OpenSession {
        try await accounts.transaction { transaction in
            let statements = try passkeyStatements(transaction.tables)
            var group = StatementGroup([AccountStatements.lock(on: found.account.id)])
            let use = group.append(
                statements.use(
                    of: found.passkey,
                    counter: assertion.data.counter,
                    isBackedUp: assertion.data.flags.contains(.backedUp)
                )
            )
            // Removed meanwhile, or used by a copy of the key.
            guard try await !transaction.run(group)[use].isEmpty else { throw SignInError.refused(.clonedCounter) }
            return try await sessions.open(
                for: found.account.id,
                by: .passkey,
                client: client,
                after: [],
                in: transaction
            )
        }
    }
}
