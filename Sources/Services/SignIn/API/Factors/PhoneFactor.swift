import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Phones as second factors: a code is sent to the number by the hook that sends texts.
extension AuthAPI {
    func enrollPhone(_ fields: Fields, _ caller: Caller, _ client: ClientInfo) async throws -> Response {
        guard settings.factors.canEnrollPhone, services.texts != nil else { throw SignInError.noPhoneEnrollment }
        let name = try Self.limited(fields.text("friendly_name") ?? "", "friendly_name")
        guard let typed = try fields.text("phone"), let number = try fields.phone() else {
            throw SignInError.invalid("Phone number required to enroll Phone factor")
        }
        let id = RandomID.make()
        try await accounts.transaction { transaction in
            guard transaction.tables.hasFactors, transaction.tables.has("mfa_factors", "phone") else {
                throw SignInError.noPhoneEnrollment
            }
            let statements = FactorStatements(tables: transaction.tables, address: client.address)
            try await transaction.run([
                AccountStatements.lock(on: caller.account.id),
                statements.sweep(ofPhone: number, of: caller.account.id),
            ])
            let account = try await transaction.lockedAccount(caller.account.id)
            guard !account.factors.contains(where: { $0.type == "phone" && $0.phone == number.rawValue }) else {
                throw SignInError.phoneFactorExists
            }
            try await prepareFactor(named: name, caller, in: transaction)
            try await transaction.run(
                statements.insertion(ofPhone: id, number, named: name, for: caller.account.id)
            )
        }
        return .json(
            .ok,
            ["id": .string(id), "type": "phone", "friendly_name": .string(name), "phone": .string(typed)]
        )
    }

    /// Sends a code to the factor's number, within the limits of all texts.
    func challengePhone(_ factor: Factor, _ caller: Caller, _ request: Request) async throws -> Response {
        guard settings.factors.canVerifyPhone, let texts = services.texts,
            let number = PhoneNumber(rawValue: factor.phone)
        else { throw SignInError.noPhoneVerification }
        let channel = try channel(Fields(request))
        let client = services.client(request)
        try await texts.limits.admit(number, client)
        let id = RandomID.make()
        do {
            try await accounts.transaction { transaction in
                let challenge = FactorStatements(tables: transaction.tables).insertion(
                    ofChallenge: id,
                    to: factor,
                    from: client.address,
                    lifetimeSeconds: settings.factors.challengeSeconds
                )
                let note = AuditEntry(
                    action: .challengeCreated,
                    traits: ["factor_id": .string(factor.id)],
                    address: client.address
                )
                try await transaction.run(challenge + transaction.tables.audit(note, of: caller.account.id))
                try await texts.write(
                    challenge: id,
                    of: factor.id,
                    to: number,
                    of: caller.account.id,
                    by: channel,
                    in: transaction
                )
            }
        } catch let error as PostgresError where error.state == .foreignKeyViolation {
            throw SignInError(.notFound, "mfa_factor_not_found", "Factor not found")
        }
        texts.announce()
        return challenged(factor, id)
    }
}

extension SignInError {
    fileprivate static let noPhoneEnrollment = SignInError(
        .unprocessableContent,
        "mfa_phone_enroll_not_enabled",
        "MFA enroll is disabled for Phone"
    )
    static let phoneFactorExists = SignInError(
        .unprocessableContent,
        "mfa_verified_factor_exists",
        "A verified phone factor already exists, unenroll the existing factor to continue"
    )
    static let noPhoneVerification = SignInError(
        .unprocessableContent,
        "mfa_phone_verify_not_enabled",
        "MFA verification is disabled for Phone"
    )
}
