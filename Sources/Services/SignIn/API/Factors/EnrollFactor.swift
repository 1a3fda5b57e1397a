import SwiftletBytes
import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /factors`: a new authenticator app or authenticator. It counts once it was verified.
    func enrollFactor(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        let (caller, _) = try await factorOwner(request)
        switch try fields.text("factor_type") {
        case "totp": return try await enrollTOTP(fields, caller, services.client(request))
        case "phone": return try await enrollPhone(fields, caller, services.client(request))
        case "webauthn": return try await enrollAuthenticator(fields, caller, services.client(request))
        default: throw SignInError.invalid("factor_type needs to be totp, phone, or webauthn")
        }
    }

    private func enrollTOTP(_ fields: Fields, _ caller: Caller, _ client: ClientInfo) async throws -> Response {
        guard settings.factors.canEnrollTOTP else { throw SignInError.noTOTPEnrollment }
        let name = try Self.limited(fields.text("friendly_name") ?? "", "friendly_name")
        let issuer = try Self.limited(fields.text("issuer") ?? siteHost, "issuer")
        let totp = try TOTP()
        let address = totp.address(issuer: issuer, account: Self.label(caller.account))
        guard let picture = QRCode.svg(of: address) else { throw SignInError.invalid("issuer is too long") }
        let id = RandomID.make()
        let secret = Base32.encode(totp.secret)
        try await accounts.transaction { transaction in
            guard transaction.tables.hasFactors else { throw SignInError.noTOTPEnrollment }
            try await prepareFactor(named: name, caller, in: transaction)
            try await transaction.run(
                FactorStatements(tables: transaction.tables, address: client.address).insertion(
                    ofTOTP: id,
                    named: name,
                    secret: secret,
                    for: caller.account.id
                )
            )
        }
        return Response.json { json in
            json.object { json in
                json.member("id", id)
                json.member("type", "totp")
                json.member("friendly_name", name)
                json.key("totp")
                json.object { json in
                    json.member("qr_code", picture)
                    json.member("secret", secret)
                    json.member("uri", address)
                }
            }
        }
    }

    /// Locks the account, deletes factors that were never verified, and throws ``SignInError`` unless it may have one
    /// more.
    func prepareFactor(named name: String, _ caller: Caller, in transaction: AccountTransaction) async throws {
        try await transaction.run([
            AccountStatements.lock(on: caller.account.id),
            FactorStatements(tables: transaction.tables)
                .sweep(of: caller.account.id, afterSeconds: settings.factors.unverifiedSeconds),
        ])
        try admitFactor(named: name, caller, try await transaction.lockedAccount(caller.account.id))
        // Recovery codes have a name too, and are not among the account's factors.
        let others = try await transaction.query(
            """
            SELECT 1 FROM auth.mfa_factors
            WHERE user_id = \(caller.account.id) AND friendly_name = \(name) AND friendly_name <> ''
            """
        )
        guard others.isEmpty else { throw SignInError.factorExists(name) }
    }

    /// Throws ``SignInError`` unless the account may have one more factor.
    private func admitFactor(named name: String, _ caller: Caller, _ account: Account) throws(SignInError) {
        let verified = account.factors.count(where: \.isVerified)
        if account.factors.contains(where: { $0.name == name }) {
            throw SignInError.factorExists(name)
        }
        guard account.factors.count < settings.factors.maximumEnrolled, verified < settings.factors.maximumVerified
        else {
            throw SignInError(
                .unprocessableContent,
                "too_many_enrolled_mfa_factors",
                "Maximum number of verified factors reached, unenroll to continue"
            )
        }
        // Else whoever has the password alone could add a factor of their own.
        guard verified == 0 || caller.assurance != "aal1" else { throw SignInError.newFactorNeedsAAL2 }
    }

    private static let maximumNameBytes = 255

    static func limited(_ text: String, _ name: String) throws(SignInError) -> String {
        guard text.utf8.count <= maximumNameBytes, !text.utf8.contains(0) else {
            throw SignInError.invalid("\(name) is too long")
        }
        return text
    }

    /// What an authenticator app shows below the issuer.
    private static func label(_ account: Account) -> String {
        if !account.email.isEmpty { return account.email }
        return account.phone.isEmpty ? account.id : account.phone
    }

    /// The host of `SITE_URL`, which names this server in an authenticator app.
    private var siteHost: String {
        let url = settings.siteURL ?? settings.externalURL ?? ""
        guard let start = url.firstRange(of: "://")?.upperBound else { return "localhost" }
        let host = url[start...].prefix { !"/?#".contains($0) }
        return host.isEmpty ? "localhost" : String(host)
    }
}
