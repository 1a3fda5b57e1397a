import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Authenticators of WebAuthn as a second factor: `factor_type: webauthn`.
extension AuthAPI {
    /// The part of `POST /factors`. The authenticator itself is made in answer to the first challenge.
    func enrollAuthenticator(_ fields: Fields, _ caller: Caller, _ client: ClientInfo) async throws -> Response {
        guard settings.passkeys.canEnrollFactors else { throw SignInError.noAuthenticatorEnrollment }
        let name = try Self.limited(fields.text("friendly_name") ?? "", "friendly_name")
        let id = RandomID.make()
        try await accounts.transaction { transaction in
            guard transaction.tables.hasAuthenticatorFactors else { throw SignInError.noAuthenticatorEnrollment }
            try await prepareFactor(named: name, caller, in: transaction)
            try await transaction.run(
                FactorStatements(tables: transaction.tables, address: client.address)
                    .insertion(ofAuthenticator: id, named: name, for: caller.account.id)
            )
        }
        return .json(.ok, ["id": .string(id), "type": "webauthn", "friendly_name": .string(name)])
    }

    /// The part of `POST /factors/:id/challenge`.
    func challengeAuthenticator(
        _ factor: Factor,
        _ caller: Caller,
        _ sessionID: String,
        _ client: ClientInfo
    ) async throws -> Response {
        guard settings.passkeys.canVerifyFactors else { throw SignInError.noAuthenticatorVerification }
        let lifetime = settings.factors.challengeSeconds
        let known = try await authenticators(of: caller.account.id)
        let kind = factor.isVerified ? PasskeyChallenge.Kind.authentication : .registration
        let challenge = try PasskeyChallenge(kind, settings.passkeys, sessionID: sessionID)
        let options = PasskeyOptions(settings: settings.passkeys)
        let offered: JSONObject
        if factor.isVerified {
            guard let own = known[factor.id] else { throw SignInError.unreadableFactor }
            offered = options.request(challenge.text, allowed: [.descriptor(own.credential.id, own.transports)])
        } else {
            offered = options.creation(
                challenge.text,
                for: caller.account,
                excluding: known.values.map { .descriptor($0.credential.id, $0.transports) },
                isDiscoverable: false
            )
        }
        try await accounts.run { tables in
            guard tables.hasAuthenticatorFactors else { throw SignInError.noAuthenticatorVerification }
            return FactorStatements(tables: tables).insertion(
                ofChallenge: challenge.id,
                to: factor,
                from: client.address,
                data: challenge.data,
                lifetimeSeconds: lifetime
            )
        }
        // At the top for the Swift client, in `publicKey` for the JavaScript one.
        var both = offered
        both["publicKey"] = .object(offered)
        return .json(
            .ok,
            [
                "id": .string(challenge.id), "type": "webauthn",
                "expires_at": JSONValue(services.accessTokens.clock.milliseconds() / 1000 + lifetime),
                "webauthn": [
                    "type": factor.isVerified ? "request" : "create", "credential_options": .object(both),
                ],
            ]
        )
    }

    /// The part of `POST /factors/:id/verify`.
    func verifyAuthenticator(
        _ fields: Fields,
        _ challenge: String,
        _ factor: Factor,
        _ caller: Caller,
        _ sessionID: String,
        _ client: ClientInfo
    ) async throws -> OpenSession {
        guard settings.passkeys.canVerifyFactors else { throw SignInError.noAuthenticatorVerification }
        guard let answer = try fields.object("webauthn") else { throw SignInError.invalid("WebAuthn config required") }
        // supabase-swift leaves the type out.
        let type = answer["type"]?.string
        guard type == nil || type == (factor.isVerified ? "request" : "create") else {
            throw SignInError.invalid("WebAuthn type must be create or request")
        }
        guard let credential = answer["credential_response"]?.object else {
            throw SignInError.invalid("credential_response required")
        }
        let proof: AuthenticatorProof
        do {
            let stored = try await usedChallenge(challenge, factor, caller.account.id, sessionID, client)
            proof = try check(credential, factor, stored.challenge, stored.authenticator)
            try await askHook(factor, caller.account, isValid: true, client)
        } catch let fault as PasskeyFault {
            try await askHook(factor, caller.account, isValid: false, client)
            throw SignInError.wrongAuthenticator(fault)
        }
        return try await accounts.transaction { transaction in
            try await accept(proof, challenge, factor, caller.account, sessionID, client, in: transaction)
        }
    }

    /// What an authenticator has proved.
    private enum AuthenticatorProof {
        case new(RelyingParty.NewCredential)
        case known(counter: Int, isBackedUp: Bool)
    }

    private func check(
        _ credential: JSONObject,
        _ factor: Factor,
        _ challenge: PasskeyChallenge.Stored,
        _ known: StoredAuthenticator?
    ) throws -> AuthenticatorProof {
        guard factor.isVerified else {
            return .new(
                try relyingParty.register(
                    RegistrationResponse(credential),
                    answering: challenge.bytes,
                    requiresVerification: challenge.requiresVerification
                )
            )
        }
        guard let known else { throw SignInError.unreadableFactor }
        let assertion = try AssertionResponse(credential)
        try relyingParty.verify(
            assertion,
            by: known.credential,
            answering: challenge.bytes,
            requiresVerification: challenge.requiresVerification
        )
        return .known(counter: assertion.data.counter, isBackedUp: assertion.data.flags.contains(.backedUp))
    }

    /// Takes the challenge out, whatever the answer to it is.
    private func usedChallenge(
        _ id: String,
        _ factor: Factor,
        _ userID: String,
        _ sessionID: String,
        _ client: ClientInfo
    ) async throws -> (challenge: PasskeyChallenge.Stored, authenticator: StoredAuthenticator?) {
        let lifetime = settings.factors.challengeSeconds
        return try await accounts.transaction { transaction in
            guard transaction.tables.hasAuthenticatorFactors else { throw SignInError.noAuthenticatorVerification }
            let statements = FactorStatements(tables: transaction.tables)
            var group = StatementGroup([AccountStatements.lock(on: userID)])
            let selection = group.append(
                statements.selection(
                    ofAuthenticatorChallenge: id,
                    to: factor,
                    sessionID: sessionID,
                    lifetimeSeconds: lifetime
                )
            )
            guard let row = try await transaction.run(group)[selection].first else { throw SignInError.noChallenge }
            try Self.admitChallenge(row, client)
            try await transaction.run([statements.use(ofChallenge: id)])
            return (try PasskeyChallenge.Stored(row["data"]), StoredAuthenticator(row["credential"]))
        }
    }

    private func accept(
        _ proof: AuthenticatorProof,
        _ challenge: String,
        _ factor: Factor,
        _ account: Account,
        _ sessionID: String,
        _ client: ClientInfo,
        in transaction: AccountTransaction
    ) async throws -> OpenSession {
        let statements = FactorStatements(tables: transaction.tables)
        var group = StatementGroup([AccountStatements.lock(on: account.id)])
        var more: [SQL] = []
        let change: StatementGroup.Key
        switch proof {
        case .new(let credential):
            change = group.append(statements.keeping(credential, by: factor))
            more =
                statements.verification(of: factor, of: account.id)
                + (try services.emails?.telling(.factorEnrolled, factor.type, to: account.email, of: account.id) ?? [])
        case .known(let counter, let isBackedUp):
            change = group.append(statements.use(ofAuthenticator: factor, counter: counter, isBackedUp: isBackedUp))
        }
        // Removed or verified meanwhile, or used by a copy of the key.
        guard try await !transaction.run(group)[change].isEmpty else {
            throw SignInError.wrongAuthenticator(.clonedCounter)
        }
        let note = AuditEntry(
            action: .verificationAttempted,
            traits: ["factor_id": .string(factor.id), "challenge_id": .string(challenge)],
            address: client.address
        )
        try await transaction.run(more + transaction.tables.audit(note, of: account.id))
        return try await SessionRefresh(sessions: sessions, client: client, transaction: transaction)
            .raise(sessionID, of: account.id, by: factor, .webAuthn)
    }

    /// Those that the account's factors have, by their ids.
    private func authenticators(of userID: String) async throws -> [String: StoredAuthenticator] {
        let rows = try await accounts.withTables { tables -> [Row] in
            guard tables.hasAuthenticatorFactors else { throw SignInError.noAuthenticatorVerification }
            return try await accounts.database.query(
                """
                SELECT id::text AS id, web_authn_credential::text AS credential FROM auth.mfa_factors
                WHERE user_id = \(userID) AND web_authn_credential IS NOT NULL ORDER BY created_at
                """
            )
        }
        return try rows.reduce(into: [:]) { known, row in
            known[try row.decode(String.self, "id")] = StoredAuthenticator(row["credential"])
        }
    }
}

extension SignInError {
    static let noAuthenticatorEnrollment = SignInError(
        .unprocessableContent,
        "mfa_webauthn_enroll_not_enabled",
        "MFA enroll is disabled for WebAuthn"
    )
    static let noAuthenticatorVerification = SignInError(
        .unprocessableContent,
        "mfa_webauthn_verify_not_enabled",
        "MFA verification is disabled for WebAuthn"
    )
    static let unreadableFactor = SignInError(
        .internalServerError,
        "unexpected_failure",
        "This factor's credential cannot be read"
    )

    static func wrongAuthenticator(_ fault: PasskeyFault) -> SignInError {
        SignInError(.unprocessableContent, "mfa_verification_failed", "WebAuthn verification failed: \(fault)")
    }
}
