import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// Passkeys, of the caller's account, for sign-ins and for administrators. The handlers are in the other files of
    /// this folder.
    @FunctionBuilder var passkeyRoutes: [FunctionPart] {
        Post("/v1/passkeys/registration/options", serve(Self.passkeyRegistrationOptions))
        Post("/v1/passkeys/registration/verify", serve(Self.registerPasskey))
        Post("/v1/passkeys/authentication/options", serve(Self.passkeyOptions))
        Post("/v1/passkeys/authentication/verify", serve(Self.signInByPasskey))
        Get("/v1/passkeys", serve(Self.listPasskeys))
        Patch("/v1/passkeys/:id", serve(Self.renamePasskey))
        Delete("/v1/passkeys/:id", serve(Self.deletePasskey))
        Get("/v1/admin/users/:id/passkeys", serve(Self.adminListPasskeys))
        Delete("/v1/admin/users/:id/passkeys/:passkey", serve(Self.adminDeletePasskey))
    }

    var relyingParty: RelyingParty { RelyingParty(settings: settings.passkeys) }

    /// Throws ``SignInError`` 404 `passkey_disabled`.
    func requirePasskeys() throws(SignInError) {
        guard settings.passkeys.isEnabled else { throw .noPasskeys }
    }

    /// The tables, if passkeys are stored in this database. Throws ``SignInError`` 404 `passkey_disabled`.
    func passkeyStatements(_ tables: AccountTables) throws(SignInError) -> PasskeyStatements {
        guard tables.hasPasskeys else { throw .noPasskeys }
        return PasskeyStatements(tables: tables)
    }

    func passkeys(of userID: String) async throws -> [Passkey] {
        try await accounts.withTables { tables in
            try await accounts.database.query(passkeyStatements(tables).selection(of: userID)).map(Passkey.init)
        }
    }

    /// What came back for a challenge that is thereby used up. Throws ``SignInError`` 400.
    func usedChallenge(
        _ fields: Fields,
        _ kind: PasskeyChallenge.Kind,
        userID: String? = nil,
        sessionID: String? = nil
    ) async throws -> PasskeyChallenge.Stored {
        guard let id = try fields.text("challenge_id").flatMap(RandomID.normalized) else {
            throw SignInError.invalid("challenge_id must be a valid UUID")
        }
        let rows = try await accounts.withTables { tables in
            _ = try passkeyStatements(tables)
            return try await accounts.database.query(
                PasskeyStatements.use(ofChallenge: id, kind, userID: userID, sessionID: sessionID)
            )
        }
        guard let row = rows.first else {
            throw SignInError(
                .badRequest,
                "webauthn_challenge_not_found",
                "Challenge not found or already used"
            )
        }
        guard try !row.decode(Bool.self, "has_expired") else {
            throw SignInError(.badRequest, "webauthn_challenge_expired", "Challenge has expired")
        }
        return try PasskeyChallenge.Stored(row["data"])
    }
}

extension SignInError {
    static let noPasskeys = SignInError(.notFound, "passkey_disabled", "Passkeys are disabled")
    static let unknownPasskey = SignInError(.notFound, "validation_failed", "Passkey not found")

    static func refused(_ fault: PasskeyFault) -> SignInError {
        SignInError(.badRequest, "webauthn_verification_failed", "Credential verification failed: \(fault)")
    }
}
