import SwiftletAuth
import SwiftletJSON
import SwiftletSignIn

/// The arguments of `swiftlet users add`.
struct NewUser: Sendable {
    /// An address or a phone number.
    let name: AccountName
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

    /// The account's `app_metadata`, as JSON.
    func appMetadata(_ membership: Membership) -> String {
        var metadata: JSONObject = ["provider": .string(provider), "providers": [.string(provider)]]
        for (member, value) in membership.texts {
            if let value { metadata.set(member, .string(value)) }
        }
        if let level = membership.roleLevel { metadata.set(.roleLevel, .number(JSONNumber(level))) }
        metadata.set(.isPlatformUser, .bool(isPlatformUser))
        return JSONValue.object(metadata).description
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

    var provider: String { name.number == nil ? "email" : "phone" }

    func identityData(id: String) -> String {
        let identity =
            if let number = name.number { NewIdentity.phone(number, of: id, isVerified: true) } else {
                NewIdentity.email(name.address ?? "", of: id, isVerified: true)
            }
        return JSONValue.object(identity.data).description
    }

    /// The tenant, team and role of the user, as found in the database.
    struct Membership: Sendable {
        var tenant: String?
        var team: String?
        var roleID: String?
        var roleLevel: Int?

        var texts: [(MetadataMember, String?)] { [(.tenantID, tenant), (.roleID, roleID), (.teamID, team)] }
    }
}
