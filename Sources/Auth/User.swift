public import JSON

/// Who is calling, as a verified token says. A cheap reference: what decides about access is ready, the rest is read
/// from the token's payload when asked for.
///
/// Rights come from `app_metadata` only, which nobody but the server's owner can write.
public struct User: Sendable {
    private let storage: Storage

    /// The claim `sub`; empty for the anonymous and the service key, which are nobody's. See ``isPerson``.
    public var id: String { storage.id }

    /// `app_metadata.tenant_id` or `.tenantId`; where both differ, the former.
    public var tenant: TenantID? { storage.claims.access.tenant }

    /// 1 (individual) to 8 (platform administrator); a missing or odd level counts as 1.
    public var roleLevel: Int { storage.claims.access.roleLevel }

    /// Whether `x-tenant-id` counts: role level 8, `is_platform_user`, `is_platform_admin` (or in camel case), or the
    /// role code `PLATFORM_ADMIN`.
    public var isPlatformUser: Bool { storage.claims.access.isPlatformUser }

    /// The database role: `authenticated`, `anon`, `service_role`, or what the issuer says.
    public var role: String { storage.role }

    /// A token of somebody: it has a `sub` and is neither the anonymous nor the service key.
    public var isPerson: Bool { !id.isEmpty && !isAnonymousKey && !isServiceRole }

    public var isAnonymousKey: Bool { role == "anon" }

    public var isServiceRole: Bool { role == "service_role" }

    public var email: String? { payload.span.jsonString(at: storage.claims.members[.email]) }

    public var teamID: String? { payload.span.jsonString(at: storage.claims.access.teamID) }

    public var roleID: String? { payload.span.jsonString(at: storage.claims.access.roleID) }

    /// `app_metadata.role`, for example `PLATFORM_ADMIN`.
    public var roleCode: String? { payload.span.jsonString(at: storage.claims.access.roleCode) }

    /// Parsed at each access: keep the value. `null` when the token has none.
    public var appMetadata: JSONValue { payload.span.jsonValue(at: storage.claims.members[.appMetadata]) ?? .null }

    var issuer: String? { payload.span.jsonString(at: storage.claims.members[.issuer]) }

    /// Written by the user: display it, never decide by it. Parsed at each access.
    public var userMetadata: JSONValue { payload.span.jsonValue(at: storage.claims.members[.userMetadata]) ?? .null }

    /// All claims. Parsed at each access.
    public var claims: JSONValue { (try? JSONParser.parse(payload)) ?? .null }

    /// The claims as JSON text, as row level security expects them in `request.jwt.claims`.
    package var payload: [UInt8] { storage.payload }

    /// When the token ends, in seconds since 1970; nil for an opaque key.
    package var expires: Double? { storage.claims.expires }

    /// Takes the claims as they are: the caller has verified whatever they come from. They may lack `exp`.
    package init(payload: [UInt8]) throws(TokenError) {
        try self.init(payload: payload, isExternal: false)
    }

    init(payload: [UInt8], isExternal: Bool) throws(TokenError) {
        guard payload.count <= ByteRange.maximumBytes, (try? UTF8Span(validating: payload.span)) != nil else {
            throw .malformed
        }
        storage = Storage(payload: payload, claims: try Claims(payload.span), isExternal: isExternal)
    }

    /// Whether another issuer vouches for this user, see ``TrustedIssuer``.
    package var isExternal: Bool { storage.isExternal }

    /// Whether the token itself says how much its user may do.
    package var hasRoleLevel: Bool { storage.claims.access.hasRoleLevel }

    /// The same user in the tenant that our own tables name, with the level that they name unless the token has one.
    /// The claims themselves stay as they are. They make nobody of another issuer a platform administrator.
    package func placed(in tenant: TenantID, roleLevel: Int?) -> User {
        let highest = AccessClaims.roleLevels.upperBound
        let access = AccessClaims(
            storage.claims.access,
            tenant: tenant,
            roleLevel: roleLevel,
            maximumLevel: isExternal ? highest - 1 : highest
        )
        let claims = Claims(storage.claims, access: access)
        return User(Storage(payload: payload, claims: claims, role: role, isExternal: isExternal))
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// For claims that were made here and are known to be right.
    private init(role: String) {
        let payload = Array(#"{"role":"\#(role)"}"#.utf8)
        storage = Storage(payload: payload, claims: Claims(), role: role)
    }

    /// Who calls with the anonymous key: nobody in particular.
    package static let anonymous = User(role: "anon")

    /// Who calls with the service key: the owner's own programs.
    package static let serviceRole = User(role: "service_role")

    var claimPlaces: Claims { storage.claims }

    private final class Storage: Sendable {
        let payload: [UInt8]
        let claims: Claims
        let id: String
        let role: String
        let isExternal: Bool

        init(payload: [UInt8], claims: Claims, role: String? = nil, isExternal: Bool = false) {
            self.isExternal = isExternal
            self.payload = payload
            self.claims = claims
            let bytes = payload.span
            id = bytes.jsonString(at: claims.members[.subject]) ?? ""
            self.role =
                role ?? bytes.jsonString(at: claims.members[.role]) ?? (id.isEmpty ? "anon" : "authenticated")
        }
    }
}
