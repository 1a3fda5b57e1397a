import SwiftletJSON

/// A user's tenant and rights, as `app_metadata` states them.
///
/// Nothing else is consulted: users can edit their `user_metadata` themselves. Where both spellings are present and
/// differ, the snake_case one counts; `null` counts as missing.
struct AccessClaims: Sendable {
    static let roleLevels = 1...8
    /// The highest level that another issuer's users can have: one below that of platform administrators.
    static let highestExternalLevel = roleLevels.upperBound - 1

    let tenant: TenantID?
    let roleLevel: Int
    /// Whether the token itself states the level.
    let hasRoleLevel: Bool
    let isPlatformUser: Bool
    let teamID: ClaimRange
    let roleID: ClaimRange
    let roleCode: ClaimRange

    /// No tenant and the lowest level.
    init() {
        self.init(KnownMembers(), in: Span())
    }

    init(_ metadata: KnownMembers<MetadataName>, in payload: borrowing Span<UInt8>) {
        func place(_ snake: MetadataName, _ camel: MetadataName, _ payload: borrowing Span<UInt8>) -> ClaimRange {
            payload.isNull(at: metadata[snake]) ? metadata[camel] : metadata[snake]
        }
        tenant = payload.tenant(at: place(.tenantID, .tenantIDCamel, payload))
        let level = place(.roleLevel, .roleLevelCamel, payload)
        roleLevel = payload.roleLevel(at: level)
        hasRoleLevel = !payload.isNull(at: level)
        teamID = place(.teamID, .teamIDCamel, payload)
        roleID = place(.roleID, .roleIDCamel, payload)
        roleCode = metadata[.role]
        isPlatformUser =
            roleLevel == Self.roleLevels.upperBound
            || payload.isTrue(at: place(.isPlatformUser, .isPlatformUserCamel, payload))
            || payload.isTrue(at: place(.isPlatformAdmin, .isPlatformAdminCamel, payload))
            || payload.jsonString(at: roleCode).map(Self.isPlatformRole) ?? false
    }

    /// Whether the role code alone makes a platform administrator.
    static func isPlatformRole(_ code: String) -> Bool { code.lowercased() == "platform_admin" }

    /// The same claims with a tenant, and with this level unless the token states one; at most `maximumLevel`.
    init(_ other: AccessClaims, tenant: TenantID, roleLevel level: Int?, maximumLevel: Int) {
        self.tenant = tenant
        let found = min(max(level ?? Self.roleLevels.lowerBound, Self.roleLevels.lowerBound), maximumLevel)
        roleLevel = other.hasRoleLevel ? other.roleLevel : found
        hasRoleLevel = other.hasRoleLevel || level != nil
        isPlatformUser = other.isPlatformUser || roleLevel == Self.roleLevels.upperBound
        teamID = other.teamID
        roleID = other.roleID
        roleCode = other.roleCode
    }
}

extension Span<UInt8> {
    fileprivate func isNull(at place: ClaimRange) -> Bool {
        !place.isPresent || self[place.range.lowerBound] == UInt8(ascii: "n")
    }

    fileprivate func isTrue(at place: ClaimRange) -> Bool {
        place.isPresent && self[place.range.lowerBound] == UInt8(ascii: "t")
    }

    fileprivate func tenant(at place: ClaimRange) -> TenantID? {
        if let text = jsonText(at: place) { return TenantID(utf8: extracting(text)) }
        return jsonString(at: place).flatMap(TenantID.init(rawValue:))
    }

    private static func wholeNumber(_ value: JSONValue) -> Int? {
        guard let text = value.string else { return value.int }
        let isDecimal = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10
        }
        guard isDecimal else { return nil }
        return (try? JSONParser.parse(Array(text.utf8)))?.int
    }

    /// A whole number, also one that is written as a text, clamped to 1…8; anything else is the lowest level. The SQL
    /// function `swiftlet_role_level()` reads it alike, for row policies.
    fileprivate func roleLevel(at place: ClaimRange) -> Int {
        let levels = AccessClaims.roleLevels
        guard place.isPresent else { return levels.lowerBound }
        let digit = self[place.range.lowerBound] &- UInt8(ascii: "0")
        let level = place.range.count == 1 && digit < 10 ? Int(digit) : jsonValue(at: place).flatMap(Self.wholeNumber)
        return min(max(level ?? levels.lowerBound, levels.lowerBound), levels.upperBound)
    }
}
