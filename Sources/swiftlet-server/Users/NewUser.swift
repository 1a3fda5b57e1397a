import JSON

/// The arguments of `swiftlet users add`.
struct NewUser: Sendable {
    /// Lower-cased, as accounts are found.
    let email: String
    let passwordHash: String
    var tenant: String?
    var makesTenant = false
    /// A code of the table roles, such as `COMPANY_ADMIN`.
    var roleCode: String?
    var roleLevel: Int?
    var team: String?
    var firstName: String?
    var lastName: String?
    var isPlatformUser = false

    /// The account's `app_metadata`, as JSON. Each name is written in both spellings: apps read camelCase, servers
    /// snake_case.
    func appMetadata(_ membership: Membership) -> String {
        var writer = JSONWriter(minimumCapacity: 512)
        writer.beginObject()
        writer.member("provider", "email")
        writer.key("providers")
        writer.beginArray()
        writer.write("email")
        writer.endArray()
        for (snake, camel, value) in membership.texts {
            guard let value else { continue }
            writer.key(snake)
            writer.write(value)
            writer.key(camel)
            writer.write(value)
        }
        if let level = membership.roleLevel {
            writer.member("role_level", level)
            writer.member("roleLevel", level)
        }
        writer.member("is_platform_user", isPlatformUser)
        writer.member("isPlatformUser", isPlatformUser)
        writer.endObject()
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    /// The account's `user_metadata`, as JSON.
    var userMetadata: String {
        var writer = JSONWriter(minimumCapacity: 128)
        writer.beginObject()
        if let firstName { writer.member("firstName", firstName) }
        if let lastName { writer.member("lastName", lastName) }
        writer.endObject()
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    func identityData(id: String) -> String {
        var writer = JSONWriter(minimumCapacity: 128)
        writer.beginObject()
        writer.member("sub", id)
        writer.member("email", email)
        writer.member("email_verified", true)
        writer.member("phone_verified", false)
        writer.endObject()
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    /// The tenant, team and role of the user, as found in the database.
    struct Membership: Sendable {
        var tenant: String?
        var team: String?
        var roleID: String?
        var roleLevel: Int?

        var texts: [(String, String, String?)] {
            [("tenant_id", "tenantId", tenant), ("role_id", "roleId", roleID), ("team_id", "teamId", team)]
        }
    }
}
