import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /verify` with `phone`: checks the code of a text. Wrong ones count for the rate limit, over all codes of
    /// the number.
    func presentedText(_ fields: Fields, type: String, _ client: ClientInfo) async throws -> OneTimeTokens.Presented {
        guard let code = try fields.text("token"), let number = try fields.phone() else {
            throw SignInError.invalid("Verify requires either a token or a token hash")
        }
        let name = number.rawValue
        try await services.limits.admit(account: name, by: .code, address: client.address)
        let (presented, isGuess) = try await services.tokens.takeAttempt(
            code: code.trimmingBlanks() ?? "",
            number: number,
            type: type
        )
        if let presented { return presented }
        // Where nothing can be guessed, a stranger must not lock the owner out.
        if isGuess { try await services.limits.recordFailure(account: name, by: .code, address: client.address) }
        throw SignInError.expiredCode
    }

    /// What a text confirms: the account's number, or a new one.
    func confirmation(byText purpose: MailPurpose, of account: Account, _ statements: AccountStatements) throws -> [SQL]
    {
        guard purpose == .phoneChange, let number = account.newPhone else {
            return account.phone.isEmpty ? [] : statements.phoneChange(of: account, to: account.phone)
        }
        let notice = try services.emails?.telling(.phoneChanged, number, to: account.email, of: account.id)
        return statements.phoneChange(of: account, to: number) + (notice ?? [])
    }
}
