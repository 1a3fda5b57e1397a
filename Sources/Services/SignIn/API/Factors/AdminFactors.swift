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

    /// `PUT /admin/users/:id/factors/:factor`: renames the factor.
    func adminUpdateFactor(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        let fields = try Fields(request)
        let account = try await accounts.existing(id: Self.id(context))
        let factor = try factor(context, "factor", of: account)
        guard try fields.text("phone") == nil else {
            throw SignInError.noPhone("factors")
        }
        if let name = try fields.text("friendly_name"), name != factor.name {
            do {
                try await accounts.run { _ in
                    [
                        """
                        UPDATE auth.mfa_factors SET friendly_name = \(name), updated_at = now()
                        WHERE id = \(factor.id)
                        """
                    ]
                }
            } catch let error as PostgresError where error.state == .uniqueViolation {
                throw SignInError.factorExists(name)
            }
        }
        return .factor(try self.factor(context, "factor", of: try await accounts.existing(id: account.id)))
    }

    /// `DELETE /admin/users/:id/factors/:factor`: the way back for whoever has lost the device.
    func adminDeleteFactor(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        let account = try await accounts.existing(id: Self.id(context))
        let factor = try factor(context, "factor", of: account)
        try await remove(factor, of: account)
        return .factor(factor)
    }
}

extension Response {
    fileprivate static func factor(_ factor: Factor) -> Response { .json { factor.write(to: &$0) } }
}
