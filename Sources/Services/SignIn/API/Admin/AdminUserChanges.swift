import SwiftletJSON
import SwiftletPostgres

/// What an administrator changes of an account; nil stays as it is.
struct AdminUserChanges: Sendable {
    /// In lower case.
    let email: String?
    let phone: PhoneNumber?
    let confirmsEmail: Bool
    let confirmsPhone: Bool
    let role: String?
    /// 0 ends a ban.
    let banSeconds: Int?
    /// Members to be merged, as in ``appMetadata``.
    let userMetadata: JSONObject?
    let appMetadata: JSONObject?
    let passwordHash: String?

    /// Sets the columns that only administrators change.
    func set(in row: inout RowValues) {
        if let role { row.set("role", "\(role)") }
        if let banSeconds {
            row.set("banned_until", banSeconds > 0 ? AccountStatements.banEnd(after: banSeconds) : "NULL")
        }
        if let appMetadata {
            row.set("raw_app_meta_data", MetadataSQL.merging(appMetadata, into: "raw_app_meta_data"))
        }
    }
}

extension AuthAPI {
    /// Reads the changes from a request, and hashes the password.
    func adminUserChanges(_ fields: Fields) async throws -> AdminUserChanges {
        AdminUserChanges(
            email: try fields.email(),
            phone: try fields.phone(),
            confirmsEmail: try fields.bool("email_confirm") ?? false,
            confirmsPhone: try fields.bool("phone_confirm") ?? false,
            role: try await sentRole(fields),
            banSeconds: try Self.ban(fields),
            userMetadata: try fields.object("user_metadata"),
            appMetadata: try fields.object("app_metadata"),
            passwordHash: try await givenHash(fields)
        )
    }
}
