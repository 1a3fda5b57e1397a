import HTTP
import Postgres
import Web

extension AuthAPI {
    /// `POST /verify`: a session for the code or the token hash from a mail.
    func verify(_ request: Request, _ context: Context) async throws -> Response {
        let fields = try Fields(request)
        guard let type = try fields.text("type") else {
            throw SignInError.invalid("Verify requires a verification type")
        }
        let token: OneTimeTokens.Presented
        if let hash = try fields.text("token_hash") {
            token = try letters.tokens.presented(link: hash, type: type)
        } else {
            guard let code = try fields.text("token") else {
                throw SignInError.invalid("Verify requires a token or a token hash")
            }
            guard let email = try fields.email() else {
                throw SignInError.invalid(
                    "Only an email address and a token, or a token hash, should be provided on verify"
                )
            }
            token = try await checked(code.trimmingBlanks() ?? "", of: email, type: type, ClientInfo(request))
        }
        return try services.answer(try await openSession(token, ClientInfo(request)), to: request)
    }

    /// Checks the code. Wrong ones count for the rate limit, over all codes of the account.
    private func checked(
        _ code: String,
        of email: String,
        type: String,
        _ client: ClientInfo
    ) async throws -> OneTimeTokens.Presented {
        let tokens = try letters.tokens
        try await services.limits.admit(account: email, by: .code, address: client.address)
        do {
            return try await tokens.takeAttempt(code: code, address: email, type: type)
        } catch let error as SignInError where error == .expiredCode {
            try await services.limits.recordFailure(account: email, by: .code, address: client.address)
            throw error
        }
    }

    /// Redeems the token and opens a session.
    func openSession(_ token: OneTimeTokens.Presented, _ client: ClientInfo) async throws -> OpenSession {
        try await redeem(token) { proof in
            try await sessions.open(
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
        let transaction: AccountTransaction
    }

    /// Redeems the token, and runs `body` in the same transaction.
    func redeem<Value>(
        _ token: OneTimeTokens.Presented,
        _ body: (Proof) async throws -> Value
    ) async throws -> Value {
        let tokens = try letters.tokens
        return try await accounts.transaction { transaction in
            let redeemed = try await tokens.redeem(token, in: transaction)
            let statements = transaction.statements
            let rows = try await transaction.query(statements.selection(of: redeemed.userID))
            guard let account = try rows.first.flatMap(Account.init) else {
                throw SignInError.userNotFound
            }
            try account.admit()
            let address = redeemed.purpose == .emailChange ? account.newEmail ?? account.email : account.email
            var changes = address.isEmpty ? [] : statements.emailChange(of: account, to: address)
            if !account.isEmailConfirmed, redeemed.purpose == .magicLink || redeemed.purpose == .recovery {
                // Somebody else may have signed up with this address: only its owner keeps access.
                changes += statements.passwordChange(of: account.id, to: "")
                changes.append(sessions.ending(.global, of: account.id, session: nil))
            }
            let proof = Proof(account: account, purpose: redeemed.purpose, changes: changes, transaction: transaction)
            do {
                return try await body(proof)
            } catch let error as PostgresError where error.isDuplicateAccount {
                throw SignInError.emailExists
            }
        }
    }
}
