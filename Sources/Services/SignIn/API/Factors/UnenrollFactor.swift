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
        let entry = AuditEntry(
            action: .factorUnenrolled,
            traits: ["factor_id": .string(factor.id)],
            address: services.client(request).address
        )
        try await remove(factor, of: caller.account, keepingCodes: true, noting: entry)
        return .json(.ok, ["id": .string(factor.id)])
    }

    /// Deletes the factor, and tells its owner of it if it was in use. Recovery codes go with the last factor;
    /// `keepingCodes` throws ``SignInError`` 422 instead.
    func remove(
        _ factor: Factor,
        of account: Account,
        named name: String? = nil,
        keepingCodes: Bool = false,
        noting entry: AuditEntry
    ) async throws {
        let notice =
            factor.isVerified
            ? try services.emails?.telling(.factorUnenrolled, name ?? factor.type, to: account.email, of: account.id)
            : nil
        try await accounts.transaction { transaction in
            let tables = transaction.tables
            let codes = tables.hasRecoveryCodes ? RecoveryCodeStatements(tables: tables) : nil
            try await transaction.run([AccountStatements.lock(on: account.id)])
            if keepingCodes, factor.isVerified, let codes,
                try await !transaction.query(codes.standsOnly(on: factor, of: account.id)).isEmpty
            {
                throw SignInError.onlyRecoveryCodes("keep recovery codes: enroll one, or delete the codes")
            }
            try await transaction.run(
                FactorStatements(tables: tables).deletion(of: factor, of: account.id, noting: entry)
                    + (codes.map { [$0.sweep(of: account.id)] } ?? []) + (notice ?? [])
            )
        }
        services.emails?.announce()
    }
}
