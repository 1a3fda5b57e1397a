import HTTP
import JSON
import Postgres
import Swiftlet

extension AuthAPI {
    /// `PUT /admin/users/:id`: sets the fields that are sent; metadata is merged.
    func adminUpdateUser(_ request: Request, _ context: Context) async throws -> Response {
        try requireAdministrator(request)
        let id = try Self.id(context)
        let fields = try Fields(request)
        let account = try await accounts.existing(id: id)
        let email = try fields.email()
        let hash = try await givenHash(fields)
        let ban = try Self.ban(fields)
        let userMetadata = try fields.object("user_metadata").map { try MetadataLimit.completing($0, of: account) }
        let appMetadata = try fields.object("app_metadata")
        if let appMetadata { try MetadataLimit.check(appMetadata, into: account.storedAppMetadata, "app_metadata") }
        let confirmsEmail = try fields.bool("email_confirm") ?? false
        let role = try fields.text("role")
        let phone = try fields.text("phone")
        let confirmsPhone = try fields.bool("phone_confirm") == true && !(phone ?? account.phone).isEmpty
        do {
            try await accounts.run { tables in
                let change = tables.statements.update(of: id) { row in
                    if let role { row.set("role", "\(role)") }
                    if let phone { row.set("phone", "\(phone)") }
                    if let ban { row.set("banned_until", ban > 0 ? AccountStatements.banEnd(after: ban) : "NULL") }
                    if confirmsPhone { row.set("phone_confirmed_at", "coalesce(phone_confirmed_at, now())") }
                    if let appMetadata {
                        row.set("raw_app_meta_data", MetadataSQL.merging(appMetadata, into: "raw_app_meta_data"))
                    }
                }
                var changes = [change]
                if let hash { changes += tables.statements.passwordChange(of: id, to: hash) }
                if let userMetadata { changes.append(tables.statements.userMetadataMerge(userMetadata, of: id)) }
                let address = email ?? account.email
                if !address.isEmpty, confirmsEmail || address != account.email {
                    let isConfirmed = confirmsEmail || account.isEmailConfirmed
                    changes += tables.statements.emailChange(of: account, to: address, isConfirmed: isConfirmed)
                }
                // A ban takes effect immediately, and a new password ends all sessions.
                if hash != nil || ban ?? 0 > 0 { changes.append(sessions.ending(.global, of: id, session: nil)) }
                return changes
            }
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError(duplicate: error)
        }
        return Response.user(try await accounts.existing(id: id))
    }
}
