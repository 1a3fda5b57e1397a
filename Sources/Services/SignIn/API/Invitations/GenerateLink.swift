import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /admin/generate_link`: what a mail would contain, for an operator who sends it otherwise. No mail is sent.
    func generateLink(_ request: Request, _ context: Context) async throws -> Response {
        let administrator = try await requireAdministrator(request)
        let fields = try Fields(request)
        guard let kind = try fields.text("type").flatMap(LinkKind.init) else {
            throw SignInError.invalid("Invalid email action link type requested")
        }
        guard let email = try fields.email() else { throw SignInError.noAddress }
        let wanted = try fields.text("redirect_to")
        let redirect = wanted.flatMap { RedirectRules(settings).allows($0) ? $0 : nil } ?? redirect(request)
        let plan = try await plan(kind, email, fields, administrator)
        let token: OneTimeToken
        do {
            token = try await accounts.transaction { transaction in
                try await transaction.run(plan.statements(transaction.statements))
                return try await services.tokens.make(
                    plan.kind.purpose,
                    for: plan.userID,
                    address: plan.address,
                    nonce: OneTimeToken.makeNonce(),
                    isUnlimited: true,
                    in: transaction
                )
            }
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError(duplicate: error)
        }
        return try answer(token, plan, redirect: redirect, try await accounts.existing(id: plan.userID))
    }

    private func answer(
        _ token: OneTimeToken,
        _ plan: LinkPlan,
        redirect: String?,
        _ account: Account
    ) throws -> Response {
        let target = redirect ?? settings.siteURL
        let link = Mail.verifyLink(
            settings.externalURL ?? "http://localhost:8000",
            "token=\(token.link)&type=\(plan.kind.purpose.type)",
            redirect: target
        )
        var json = JSONWriter(minimumCapacity: 2048)
        account.write(to: &json)
        var members = try JSONParser.parse(json.finish()).object ?? [:]
        members["action_link"] = .string(link)
        members["email_otp"] = .string(token.code)
        members["hashed_token"] = .string(token.link)
        members["verification_type"] = .string(plan.kind.rawValue)
        members["redirect_to"] = .string(target ?? "")
        return Response.json(.ok, .object(members))
    }

    // MARK: What is to be done

    private enum LinkKind: String, Sendable {
        case signup
        case invite
        case magiclink
        case recovery
        case emailChangeCurrent = "email_change_current"
        case emailChangeNew = "email_change_new"

        var purpose: MailPurpose {
            switch self {
            case .signup: .confirmation
            case .invite: .invitation
            case .magiclink: .magicLink
            case .recovery: .recovery
            case .emailChangeCurrent: .emailChangeCurrent
            case .emailChangeNew: .emailChange
            }
        }
    }

    /// The account that a link is for, and what has to be written before there is one.
    private struct LinkPlan: Sendable {
        let kind: LinkKind
        let userID: String
        /// The address that the link proves.
        let address: String
        let statements: @Sendable (AccountStatements) throws -> [SQL]
    }

    private func plan(
        _ kind: LinkKind,
        _ email: String,
        _ fields: Fields,
        _ administrator: Administrator
    ) async throws -> LinkPlan {
        guard let account = try await accounts.find(email: email) else {
            return try await planOfNew(kind, email, fields, administrator)
        }
        let id = account.id
        switch kind {
        case .magiclink, .recovery:
            let note = AuditEntry(action: .recoveryRequested, address: administrator.address)
            return LinkPlan(kind: kind, userID: id, address: email) { $0.tables.audit(note, of: id) }
        case .invite:
            guard !account.isConfirmed else { throw SignInError.emailExists }
            return LinkPlan(kind: kind, userID: id, address: email) {
                $0.invitation(of: id, email, by: administrator)
            }
        case .signup:
            guard !account.isConfirmed else { throw SignInError.emailExists }
            // Somebody else may have signed up with this address: what they know must not open it.
            let hash = try await signUpHash(fields)
            let data = try MetadataLimit.completing(fields.object("data") ?? [:], of: account)
            return LinkPlan(kind: kind, userID: id, address: email) {
                $0.passwordChange(of: id, to: hash) + [$0.userMetadataMerge(data, of: id)]
            }
        case .emailChangeCurrent, .emailChangeNew:
            return try await planOfChange(kind, of: account, fields)
        }
    }

    private func planOfNew(
        _ kind: LinkKind,
        _ email: String,
        _ fields: Fields,
        _ administrator: Administrator
    ) async throws -> LinkPlan {
        guard [.signup, .invite, .magiclink].contains(kind) else {
            throw SignInError(.notFound, "user_not_found", "User with this email not found")
        }
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        var new = try await invited(email, data, by: administrator)
        if kind == .signup { new.passwordHash = try await signUpHash(fields) }
        let account = new
        try await services.hooks.admit(account, from: administrator.address)
        return LinkPlan(kind: kind == .magiclink ? .signup : kind, userID: account.id, address: email) { statements in
            let invitation =
                kind == .invite ? statements.invitation(of: account.id, email, by: administrator) : []
            return statements.insertion(of: account) + invitation
        }
    }

    private func planOfChange(_ kind: LinkKind, of account: Account, _ fields: Fields) async throws -> LinkPlan {
        guard settings.asksBothAddresses || kind == .emailChangeNew else {
            throw SignInError.invalid("Enable secure email change to generate link for current email")
        }
        guard let address = try fields.email("new_email") else { throw SignInError.noAddress }
        if let owner = try await accounts.find(email: address), owner.id != account.id { throw SignInError.emailExists }
        return LinkPlan(
            kind: kind,
            userID: account.id,
            address: kind == .emailChangeNew ? address : account.email
        ) { [$0.emailRequest(address, of: account.id), $0.emailChangeReset(of: account.id)] }
    }

    private func signUpHash(_ fields: Fields) async throws -> String {
        guard let password = try fields.text("password") else {
            throw SignInError.invalid("Signup requires a valid password")
        }
        try services.passwordRules.check(password)
        return try await services.passwords.hash(password, forAdministrator: true)
    }
}
