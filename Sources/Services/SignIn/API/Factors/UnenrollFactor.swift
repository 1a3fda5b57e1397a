import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `DELETE /factors/:id`. A verified factor only goes in a session of a second factor; whoever has lost it asks an
    /// administrator.
    func unenrollFactor(_ request: Request, _ context: Context) async throws -> Response {
        let (caller, _) = try await factorOwner(request)
        let factor = try factor(context, of: caller.account)
        guard !factor.isVerified || caller.assurance != "aal1" else {
            throw SignInError(
                .unprocessableContent,
                "insufficient_aal",
                "AAL2 required to unenroll verified factor"
            )
        }
        try await remove(factor, of: caller.account)
        return .json(.ok, ["id": .string(factor.id)])
    }

    /// Deletes the factor, and tells its owner of it if it was in use.
    func remove(_ factor: Factor, of account: Account) async throws {
        let notice =
            factor.isVerified
            ? try services.emails?.telling(.factorUnenrolled, factor.type, to: account.email, of: account.id) : nil
        try await accounts.run { tables in
            [AccountStatements.lock(on: account.id)]
                + FactorStatements(tables: tables).deletion(of: factor, of: account.id) + (notice ?? [])
        }
        services.emails?.announce()
    }
}
