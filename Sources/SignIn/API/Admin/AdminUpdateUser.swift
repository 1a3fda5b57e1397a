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
        // Before the hash, which is expensive.
        _ = try await accounts.existing(id: id)
        let email = try fields.email()
        let hash = try await givenHash(fields)
        let ban = try Self.ban(fields)
        let sentMetadata = try fields.object("user_metadata")
        let appMetadata = try fields.object("app_metadata")
        let confirmsEmail = try fields.bool("email_confirm") ?? false
        let role = try fields.text("role")
        let phone = try fields.text("phone")
        let confirmsPhone = try fields.bool("phone_confirm") ?? false
        do {
            try await accounts.transaction { transaction in
                // Locked, because changes that are made together would each be within the limit.
                let account = try await transaction.lockedAccount(id)
                let userMetadata = try sentMetadata.map { try MetadataLimit.completing($0, of: account) }
                if let appMetadata {
                    try MetadataLimit.check(appMetadata, into: account.storedAppMetadata, "app_metadata")
                }
                let statements = transaction.statements
                let change = statements.update(of: id) { row in
                    if let role { row.set("role", "\(role)") }
                    if let phone { row.set("phone", "\(phone)") }
                    if let ban { row.set("banned_until", ban > 0 ? AccountStatements.banEnd(after: ban) : "NULL") }
                    if confirmsPhone, !(phone ?? account.phone).isEmpty {
                        row.set("phone_confirmed_at", "coalesce(phone_confirmed_at, now())")
                    }
                    if let appMetadata {
                        row.set("raw_app_meta_data", MetadataSQL.merging(appMetadata, into: "raw_app_meta_data"))
                    }
                }
                var changes = [change]
                if let hash { changes += statements.passwordChange(of: id, to: hash) }
                if let userMetadata { changes.append(statements.userMetadataMerge(userMetadata, of: id)) }
                let address = email ?? account.email
                if !address.isEmpty, confirmsEmail || address != account.email {
                    let isConfirmed = confirmsEmail || account.isEmailConfirmed
                    changes += statements.emailChange(of: account, to: address, isConfirmed: isConfirmed)
                }
                // A ban takes effect immediately, and a new password ends all sessions.
                if hash != nil || ban ?? 0 > 0 { changes.append(sessions.ending(.global, of: id, session: nil)) }
                try await transaction.run(changes)
            }
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError(duplicate: error)
        }
        return Response.user(try await accounts.existing(id: id))
    }
}
