import SwiftletJSON

/// The claims of a user's access token, as the clients and servers of this API expect them.
package struct UserClaims: Sendable {
    package var userID: String
    /// nil for an app without tenants.
    package var tenant: TenantID?
    /// The role of the database: `authenticated`, or one of the app's own.
    package var role = "authenticated"
    package var email: String?
    package var roleLevel = 1
    package var teamID: String?
    package var isPlatformUser = false

    package init(userID: String, tenant: TenantID?) {
        self.userID = userID
        self.tenant = tenant
    }

    /// The claim set as JSON text; times are in seconds since 1970.
    package func payload(issuedAt: Int, expiresAt: Int) -> [UInt8] {
        var writer = JSONWriter(minimumCapacity: 512)
        writer.beginObject()
        writer.member("sub", userID)
        writer.member("aud", "authenticated")
        writer.member("role", role)
        if let email { writer.member("email", email) }
        writer.member("iat", issuedAt)
        writer.member("exp", expiresAt)
        writer.member("app_metadata", .object(appMetadata))
        writer.member("user_metadata", .object([:]))
        writer.endObject()
        return writer.finish()
    }

    private var appMetadata: JSONObject {
        var metadata = JSONObject()
        if let tenant { metadata.set(.tenantID, .string(tenant.rawValue)) }
        metadata.set(.roleLevel, .number(JSONNumber(roleLevel)))
        if let teamID { metadata.set(.teamID, .string(teamID)) }
        metadata.set(.isPlatformUser, .bool(isPlatformUser))
        return metadata
    }
}
