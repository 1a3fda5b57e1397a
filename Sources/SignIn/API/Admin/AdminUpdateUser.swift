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
        try await accounts.withShape { shape in
            var statements: [SQL] = [
                accounts.update(id, shape) { row in
                    if let role { row.set("role", "\(role)") }
                    if let phone { row.set("phone", "\(phone)") }
                    if let ban { row.set("banned_until", ban > 0 ? AccountStore.ban(ban) : "NULL") }
                    if confirmsPhone { row.set("phone_confirmed_at", "coalesce(phone_confirmed_at, now())") }
                    if let appMetadata {
                        row.set("raw_app_meta_data", AccountStore.merging(appMetadata, into: "raw_app_meta_data"))
                    }
                }
            ]
            if let hash { statements += accounts.changePassword(of: id, to: hash, shape) }
            if let userMetadata { statements.append(accounts.mergeUserMetadata(userMetadata, of: account, shape)) }
            let address = email ?? account.email
            if !address.isEmpty, confirmsEmail || address != account.email {
                let isConfirmed = confirmsEmail || account.isEmailConfirmed
                statements += accounts.setEmail(address, of: account, isConfirmed: isConfirmed, shape)
            }
            // A ban takes effect immediately, and a new password ends all sessions.
            if hash != nil || ban ?? 0 > 0 { statements.append(sessions.ending(.global, of: id, session: nil)) }
            do {
                try await accounts.database.transaction { _ = try await $0.queryAll(statements) }
            } catch let error as PostgresError where error.isDuplicateAccount {
                throw SignInError(duplicate: error)
            }
        }
        return Response.user(try await accounts.existing(id: id))
    }
}
