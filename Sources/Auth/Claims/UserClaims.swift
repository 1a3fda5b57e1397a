import JSON

/// The claims of a user's access token, as the clients and servers of this API expect them.
///
/// The members of `app_metadata` are written in both spellings with equal values: the iOS app reads camelCase, servers
/// read snake_case.
package struct UserClaims: Sendable {
    package var userID: String
    package var tenant: TenantID
    package var email: String?
    package var roleLevel = 1
    package var teamID: String?
    package var isPlatformUser = false

    package init(userID: String, tenant: TenantID) {
        self.userID = userID
        self.tenant = tenant
    }

    /// The claim set as JSON text; times are in seconds since 1970.
    package func payload(issuedAt: Int, expiresAt: Int) -> [UInt8] {
        var writer = JSONWriter(minimumCapacity: 512)
        writer.beginObject()
        writer.member("sub", userID)
        writer.member("aud", "authenticated")
        writer.member("role", "authenticated")
        if let email { writer.member("email", email) }
        writer.member("iat", issuedAt)
        writer.member("exp", expiresAt)
        writer.key("app_metadata")
        writeAppMetadata(&writer)
        writer.member("user_metadata", .object([:]))
        writer.endObject()
        return writer.finish()
    }

    private func writeAppMetadata(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("tenant_id", tenant.rawValue)
        writer.member("tenantId", tenant.rawValue)
        writer.member("role_level", roleLevel)
        writer.member("roleLevel", roleLevel)
        if let teamID {
            writer.member("team_id", teamID)
            writer.member("teamId", teamID)
        }
        writer.member("is_platform_user", isPlatformUser)
        writer.member("isPlatformUser", isPlatformUser)
        writer.endObject()
    }
}
