public import SwiftletJSON

/// The caller, as identified by a verified token. A cheap reference: what decides on access is decoded in advance, the
/// rest is read from the token's payload on access.
///
/// Rights come only from `app_metadata`, which users cannot edit.
public struct User: Sendable {
    private let storage: Storage

    /// The claim `sub`; empty for the anonymous and the service key, which belong to nobody. See ``isPerson``.
    public var id: String { storage.id }

    /// `app_metadata.tenant_id` or `.tenantId`; where both differ, the former.
    public var tenant: TenantID? { storage.claims.access.tenant }

    /// 1 (individual) to 8 (platform administrator); a missing or invalid level counts as 1.
    public var roleLevel: Int { storage.claims.access.roleLevel }

    /// Whether `x-tenant-id` is honored: role level 8, `is_platform_user`, `is_platform_admin` (or in camel case), or
    /// the role code `PLATFORM_ADMIN`.
    public var isPlatformUser: Bool { storage.claims.access.isPlatformUser }

    /// The database role: `authenticated`, `anon`, `service_role`, or another one that the issuer has set.
    public var role: String { storage.role }

    /// True for a token with a `sub` that is neither the anonymous nor the service key.
    public var isPerson: Bool { !id.isEmpty && !isAnonymousKey && !isServiceRole }

    public var isAnonymousKey: Bool { role == "anon" }

    public var isServiceRole: Bool { role == "service_role" }

    public var email: String? { payload.span.jsonString(at: storage.claims.members[.email]) }

    public var teamID: String? { payload.span.jsonString(at: storage.claims.access.teamID) }

    public var roleID: String? { payload.span.jsonString(at: storage.claims.access.roleID) }

    /// `app_metadata.role`, for example `PLATFORM_ADMIN`.
    public var roleCode: String? { payload.span.jsonString(at: storage.claims.access.roleCode) }

    /// Parsed on each access, so keep the value. `null` when the token has none.
    public var appMetadata: JSONValue { payload.span.jsonValue(at: storage.claims.members[.appMetadata]) ?? .null }

    /// Written by the user: for display, never for decisions. Parsed on each access.
    public var userMetadata: JSONValue { payload.span.jsonValue(at: storage.claims.members[.userMetadata]) ?? .null }

    /// All claims. Parsed on each access.
    public var claims: JSONValue { (try? JSONParser.parse(payload)) ?? .null }

    /// The claims as JSON text, as row level security expects them in `request.jwt.claims`.
    package var payload: [UInt8] { storage.payload }

    /// When the token expires, in seconds since 1970; nil for an opaque key.
    package var expires: Double? { storage.claims.expires }

    /// `iat` and `aud` as the token states them. Parsed on each access; nil when it has none.
    package var issuedAt: JSONValue? { payload.span.jsonValue(at: storage.claims.members[.issuedAt]) }
    package var audience: JSONValue? { payload.span.jsonValue(at: storage.claims.members[.audience]) }

    /// Whether another issuer has issued the token, see ``TrustedIssuer``.
    package var isExternal: Bool { storage.isExternal }

    /// Whether the token itself states the role level.
    package var hasRoleLevel: Bool { storage.claims.access.hasRoleLevel }

    var issuer: String? { payload.span.jsonString(at: storage.claims.members[.issuer]) }

    var claimPlaces: Claims { storage.claims }

    /// The caller with the anonymous key.
    package static let anonymous = User(role: "anon")

    /// The caller with the service key: the server owner's own programs.
    package static let serviceRole = User(role: "service_role")

    /// Takes claims, which the caller must have verified. They may lack `exp`.
    package init(payload: [UInt8]) throws(TokenError) {
        try self.init(payload: payload, isExternal: false)
    }

    /// The same for claims of which it is known whether another issuer vouches for them.
    package init(payload: [UInt8], isExternal: Bool) throws(TokenError) {
        guard payload.count <= ClaimRange.maximumBytes, (try? UTF8Span(validating: payload.span)) != nil else {
            throw .malformed
        }
        storage = Storage(payload: payload, claims: try Claims(payload.span), isExternal: isExternal)
    }

    /// For claims that are made here and known to be valid.
    private init(role: String) {
        let payload = Array(#"{"role":"\#(role)"}"#.utf8)
        storage = Storage(payload: payload, claims: Claims(), role: role)
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// The same user in the tenant that the server's own tables name, with their level unless the token states one. The
    /// claims themselves stay as they are. A user of another issuer never becomes a platform administrator.
    package func placed(in tenant: TenantID, roleLevel: Int?) -> User {
        let access = AccessClaims(
            storage.claims.access,
            tenant: tenant,
            roleLevel: roleLevel,
            maximumLevel: isExternal ? AccessClaims.highestExternalLevel : AccessClaims.roleLevels.upperBound
        )
        let claims = Claims(storage.claims, access: access)
        return User(Storage(payload: payload, claims: claims, role: role, isExternal: isExternal))
    }

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
