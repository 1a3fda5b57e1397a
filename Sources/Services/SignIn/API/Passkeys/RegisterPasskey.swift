import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /passkeys/registration/options`: what a device makes a passkey for the caller's account from.
    func passkeyRegistrationOptions(_ request: Request, _ context: Context) async throws -> Response {
        try requirePasskeys()
        let (caller, sessionID) = try await passkeyOwner(request)
        let known = try await passkeys(of: caller.account.id)
        try admitPasskey(beside: known.count)
        let challenge = try PasskeyChallenge(.registration, settings.passkeys, sessionID: sessionID)
        let options = PasskeyOptions(settings: settings.passkeys).creation(
            challenge.text,
            for: caller.account,
            excluding: known.map(\.descriptor),
            isDiscoverable: true
        )
        return try await answer(challenge, options, for: caller.account.id)
    }

    /// `POST /passkeys/registration/verify`: adds the passkey that the device has made.
    func registerPasskey(_ request: Request, _ context: Context) async throws -> Response {
        try requirePasskeys()
        let (caller, sessionID) = try await passkeyOwner(request)
        let fields = try Fields(request)
        guard let object = try fields.object("credential") else {
            throw SignInError.invalid("credential is required")
        }
        let userID = caller.account.id
        let challenge = try await usedChallenge(fields, .registration, userID: userID, sessionID: sessionID)
        let new: RelyingParty.NewCredential
        do throws(PasskeyFault) {
            new = try relyingParty.register(
                RegistrationResponse(object),
                answering: challenge.bytes,
                requiresVerification: challenge.requiresVerification
            )
        } catch {
            throw SignInError.refused(error)
        }
        let address = services.client(request).address
        let id = RandomID.make()
        let name = AuthenticatorModels.name(of: UUIDText.text(new.model))
        let notice = try services.emails?.telling(.passkeyAdded, to: caller.account.email, of: userID)
        let added: Passkey?
        do {
            added = try await accounts.transaction { transaction in
                let statements = try passkeyStatements(transaction.tables)
                var group = StatementGroup([AccountStatements.lock(on: userID)])
                let known = group.append(statements.selection(of: userID))
                try admitPasskey(beside: try await transaction.run(group)[known].count)
                var insertion = StatementGroup(
                    statements.insertion(of: new, id, named: name, for: userID, from: address) + (notice ?? [])
                )
                let reading = insertion.append(statements.selection(of: userID))
                return try await transaction.run(insertion)[reading].map(Passkey.init).first { $0.id == id }
            }
        } catch let error as PostgresError where error.state == .uniqueViolation {
            throw SignInError(
                .unprocessableContent,
                "webauthn_credential_exists",
                "This credential is already registered"
            )
        } catch let error as PostgresError where error.state == .foreignKeyViolation {
            throw SignInError.userNotFound
        }
        services.emails?.announce()
        guard let added else { throw SignInError.unknownPasskey }
        return Response.json { added.write(to: &$0) }
    }

    /// The caller, who may add and remove passkeys. Throws ``SignInError`` 403 for anonymous accounts, and below `aal2`
    /// where there is a second factor: a passkey opens the account.
    func passkeyOwner(_ request: Request) async throws -> (caller: Caller, sessionID: String) {
        let (caller, sessionID) = try await factorOwner(request)
        guard caller.account.row["is_sso_user"]?.bool != true else {
            throw SignInError(.unprocessableContent, "validation_failed", "SSO users cannot register passkeys")
        }
        guard caller.hasUsedFactors else {
            throw SignInError(
                .forbidden,
                "insufficient_aal",
                "AAL2 session is required to manage passkeys when MFA is enabled"
            )
        }
        return (caller, sessionID)
    }

    private func admitPasskey(beside count: Int) throws(SignInError) {
        guard count < settings.passkeys.maximumPerAccount else {
            throw SignInError(
                .unprocessableContent,
                "too_many_passkeys",
                "Maximum number of passkeys reached"
            )
        }
    }

    /// Stores the challenge and answers with the options.
    func answer(
        _ challenge: PasskeyChallenge,
        _ options: JSONObject,
        for userID: String?
    ) async throws -> Response {
        let lifetime = settings.passkeys.challengeSeconds
        try await accounts.run { tables in
            try passkeyStatements(tables).insertion(of: challenge, for: userID, lifetimeSeconds: lifetime)
        }
        let expires = services.accessTokens.clock.milliseconds() / 1000 + lifetime
        return .json(
            .ok,
            ["challenge_id": .string(challenge.id), "options": .object(options), "expires_at": JSONValue(expires)]
        )
    }
}
