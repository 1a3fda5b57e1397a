import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /verify`: a session for the code or the token hash from a mail, or the code from a text.
    func verify(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard let type = try fields.text("type") else {
            throw SignInError.invalid("Verify requires a verification type")
        }
        let code = try fields.text("token")
        let hash = try fields.text("token_hash")
        guard (code == nil) != (hash == nil) else {
            throw SignInError.invalid("Verify requires either a token or a token hash")
        }
        let (hasEmail, hasPhone) = try (fields.text("email") != nil, fields.text("phone") != nil)
        let token: OneTimeTokens.Presented
        if let hash {
            guard !hasEmail, !hasPhone, try fields.text("redirect_to") == nil else {
                throw SignInError.invalid("Only the token_hash and type should be provided")
            }
            token = try services.tokens.presented(link: hash, type: type)
        } else if hasPhone, !hasEmail {
            token = try await presentedText(fields, type: type, services.client(request))
        } else {
            guard hasEmail, !hasPhone else {
                throw SignInError.invalid("Only an email address or phone number should be provided on verify")
            }
            guard let email = try? fields.email() else {
                throw SignInError(.unprocessableContent, "validation_failed", "Invalid email format")
            }
            let typed = code?.trimmingBlanks() ?? ""
            token = try await checked(typed, of: email, type: type, services.client(request))
        }
        guard let session = try await openSession(token, services.client(request)) else {
            return Response.json(.ok, ["msg": .string(Self.halfway), "code": "200"])
        }
        return try await services.answer(session, to: request)
    }

    /// What one address is told while the change waits for the other.
    static let halfway = "Confirmation link accepted. Please proceed to confirm link sent to the other email"

    /// Checks the code. Wrong ones count for the rate limit, over all codes of the account.
    private func checked(
        _ code: String,
        of email: String,
        type: String,
        _ client: ClientInfo
    ) async throws -> OneTimeTokens.Presented {
        let tokens = services.tokens
        try await services.limits.admit(account: email, by: .code, address: client.address)
        do {
            return try await tokens.takeAttempt(code: code, address: email, type: type)
        } catch let error as SignInError where error == .expiredCode {
            try await services.limits.recordFailure(account: email, by: .code, address: client.address)
            throw error
        }
    }

    /// Redeems the token and opens a session; none for a change of address that the other address is still to confirm.
    func openSession(_ token: OneTimeTokens.Presented, _ client: ClientInfo) async throws -> OpenSession? {
        try await redeem(token) { proof in
            guard proof.isComplete else {
                try await proof.transaction.run(proof.changes)
                return nil
            }
            return try await sessions.open(
                for: proof.account.id,
                by: .otp,
                client: client,
                after: proof.changes,
                in: proof.transaction
            )
        }
    }

    /// A token that has just been redeemed, in a transaction that is still open.
    struct Proof: Sendable {
        let account: Account
        let purpose: MailPurpose
        /// The statements that apply what the token confirms. They are still to be run.
        let changes: [SQL]
        /// Whether nothing else has to be confirmed.
        let isComplete: Bool
        let transaction: AccountTransaction
    }

    /// Redeems the token, and runs `body` in the same transaction.
    func redeem<Value>(
        _ token: OneTimeTokens.Presented,
        _ body: (Proof) async throws -> Value
    ) async throws -> Value {
        let value = try await accounts.transaction { transaction in
            let redeemed = try await services.tokens.redeem(token, in: transaction)
            let statements = transaction.statements
            let rows = try await transaction.query(statements.selection(of: redeemed.userID))
            guard let account = try rows.first.flatMap(Account.init) else {
                throw SignInError.userNotFound
            }
            try account.admit()
            let isComplete = !account.hasOtherConfirmation(than: redeemed.purpose)
            if isComplete, redeemed.purpose.changesAddress, let email = account.newEmail,
                let search = transaction.tables.sql.person(email: email),
                let person = try await transaction.query(search).first, person["id"] != account.id
            {
                throw SignInError.emailExists
            }
            var changes =
                redeemed.purpose.isText
                ? try confirmation(byText: redeemed.purpose, of: account, statements)
                : try confirmation(redeemed.purpose, of: account, isComplete: isComplete, statements)
            if !account.isEmailConfirmed, [.magicLink, .recovery, .invitation].contains(redeemed.purpose) {
                // Somebody else may have signed up with this address: only its owner keeps access.
                changes += statements.passwordChange(of: account.id, to: "")
                changes.append(sessions.ending(.global, of: account.id, session: nil, transaction.tables))
                changes +=
                    account.isConfirmed
                    ? transaction.tables.forgettingPasskeys(of: account.id)
                    : transaction.tables.forgettingAuthenticators(of: account.id)
            }
            if redeemed.purpose == .text, account.hasUnprovenPhone {
                // The same for a number that counted as confirmed without a text.
                changes += statements.passwordChange(of: account.id, to: "")
                changes.append(sessions.ending(.global, of: account.id, session: nil, transaction.tables))
                changes += transaction.tables.forgettingAuthenticators(of: account.id)
            }
            let proof = Proof(
                account: account,
                purpose: redeemed.purpose,
                changes: changes,
                isComplete: isComplete,
                transaction: transaction
            )
            do {
                return try await body(proof)
            } catch let error as PostgresError where error.isDuplicateAccount {
                throw SignInError(duplicate: error)
            }
        }
        services.emails?.announce()
        return value
    }

    private func confirmation(
        _ purpose: MailPurpose,
        of account: Account,
        isComplete: Bool,
        _ statements: AccountStatements
    ) throws -> [SQL] {
        guard isComplete else { return [statements.emailChangeHalf(of: account.id)] }
        let new = purpose.changesAddress ? account.newEmail : nil
        let address = new ?? account.email
        guard !address.isEmpty else { return [] }
        let notice =
            new == nil ? [] : try services.emails?.telling(.emailChanged, address, to: account.email, of: account.id)
        return statements.emailChange(of: account, to: address) + (notice ?? [])
    }
}

extension Account {
    /// Whether a change of address still waits for the confirmation of the other address.
    fileprivate func hasOtherConfirmation(than purpose: MailPurpose) -> Bool {
        guard newEmail != nil else { return false }
        return switch purpose {
        case .emailChange: text("email_change_token_current")?.isEmpty == false
        // Only the new address proves itself: a link to the current one is never enough, whatever else was sent.
        case .emailChangeCurrent: row["email_change_confirm_status"]?.double != 1
        default: false
        }
    }
}
