import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `GET /admin/users/:id/factors`: an array, oldest first.
    func adminListFactors(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        let account = try await accounts.existing(id: Self.id(context))
        return Response.json { json in
            json.beginArray()
            for factor in account.factors { factor.write(to: &json) }
            json.endArray()
        }
    }

    /// `PUT /admin/users/:id/factors/:factor`: renames the factor, or gives one of a phone another number.
    func adminUpdateFactor(_ request: Request, _ context: Context) async throws -> Response {
        let administrator = try await requireAdministrator(request)
        let fields = try Fields(request)
        let account = try await accounts.existing(id: Self.id(context))
        let factor = try factor(context, "factor", of: account)
        let number = try newNumber(fields, of: factor, account)
        let name = try fields.text("friendly_name") ?? factor.name
        let entry = administrator.entry(
            .factorUpdated,
            ["user_id": .string(account.id), "factor_id": .string(factor.id), "factor_type": .string(factor.type)]
        )
        do {
            try await accounts.run { tables in
                var statements = tables.audit(entry, of: account.id)
                if name != factor.name {
                    statements.append(
                        """
                        UPDATE auth.mfa_factors SET friendly_name = \(name), updated_at = now()
                        WHERE id = \(factor.id)
                        """
                    )
                }
                if let number {
                    statements += [
                        """
                        UPDATE auth.mfa_factors SET phone = \(number.rawValue), updated_at = now()
                        WHERE id = \(factor.id)
                        """,
                        // Codes that were sent to the old number.
                        "DELETE FROM auth.mfa_challenges WHERE factor_id = \(factor.id)",
                    ]
                }
                return statements
            }
        } catch let error as PostgresError where error.state == .uniqueViolation {
            throw name == factor.name ? SignInError.phoneFactorExists : SignInError.factorExists(name)
        }
        return .factor(try self.factor(context, "factor", of: try await accounts.existing(id: account.id)))
    }

    /// The new number of a phone; nil if it stays the same, and for factors that are none.
    private func newNumber(_ fields: Fields, of factor: Factor, _ account: Account) throws -> PhoneNumber? {
        guard try fields.text("phone") != nil else { return nil }
        guard settings.factors.canEnrollPhone, services.texts != nil else { throw SignInError.noPhone("factors") }
        guard factor.type == "phone", let number = try fields.phone(), number.rawValue != factor.phone else {
            return nil
        }
        guard !account.factors.contains(where: { $0.type == "phone" && $0.phone == number.rawValue }) else {
            throw SignInError.phoneFactorExists
        }
        return number
    }

    /// `DELETE /admin/users/:id/factors/:factor`: the way back for whoever has lost the device.
    func adminDeleteFactor(_ request: Request, _ context: Context) async throws -> Response {
        let administrator = try await requireAdministrator(request)
        let account = try await accounts.existing(id: Self.id(context))
        let factor = try factor(context, "factor", of: account)
        let entry = administrator.entry(
            .factorDeleted,
            ["user_id": .string(account.id), "factor_id": .string(factor.id)]
        )
        try await remove(factor, of: account, noting: entry)
        return .factor(factor)
    }
}

extension Response {
    fileprivate static func factor(_ factor: Factor) -> Response { .json { factor.write(to: &$0) } }
}
