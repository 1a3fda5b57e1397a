internal import JSON

/// What `app_metadata` says about a user's place and rights.
///
/// Nothing else is asked: `user_metadata` is the user's own to edit. Where both spellings are there and differ, the
/// snake_case one counts; a `null` counts as missing.
struct AccessClaims: Sendable {
    static let roleLevels = 1...8

    let tenant: TenantID?
    let roleLevel: Int
    let isPlatformUser: Bool
    let teamID: ByteRange
    let roleID: ByteRange
    let roleCode: ByteRange

    /// Those of nobody.
    init() {
        self.init(KnownMembers(), in: Span())
    }

    init(_ metadata: KnownMembers<MetadataName>, in payload: borrowing Span<UInt8>) {
        func place(_ snake: MetadataName, _ camel: MetadataName, _ payload: borrowing Span<UInt8>) -> ByteRange {
            payload.isNull(at: metadata[snake]) ? metadata[camel] : metadata[snake]
        }
        tenant = payload.tenant(at: place(.tenantID, .tenantIDCamel, payload))
        roleLevel = payload.roleLevel(at: place(.roleLevel, .roleLevelCamel, payload))
        teamID = place(.teamID, .teamIDCamel, payload)
        roleID = place(.roleID, .roleIDCamel, payload)
        roleCode = metadata[.role]
        isPlatformUser =
            roleLevel == Self.roleLevels.upperBound
            || payload.isTrue(at: place(.isPlatformUser, .isPlatformUserCamel, payload))
            || payload.isTrue(at: place(.isPlatformAdmin, .isPlatformAdminCamel, payload))
            || payload.jsonString(at: roleCode)?.lowercased() == "platform_admin"
    }
}

extension Span<UInt8> {
    fileprivate func isNull(at place: ByteRange) -> Bool {
        !place.isPresent || self[place.range.lowerBound] == UInt8(ascii: "n")
    }

    fileprivate func isTrue(at place: ByteRange) -> Bool {
        place.isPresent && self[place.range.lowerBound] == UInt8(ascii: "t")
    }

    fileprivate func tenant(at place: ByteRange) -> TenantID? {
        if let text = jsonText(at: place) { return TenantID(utf8: extracting(text)) }
        return jsonString(at: place).flatMap(TenantID.init(rawValue:))
    }

    /// A whole JSON number, brought into 1…8; everything else is the lowest level.
    fileprivate func roleLevel(at place: ByteRange) -> Int {
        let levels = AccessClaims.roleLevels
        guard place.isPresent else { return levels.lowerBound }
        let digit = self[place.range.lowerBound] &- UInt8(ascii: "0")
        let level = place.range.count == 1 && digit < 10 ? Int(digit) : jsonValue(at: place)?.int
        return min(max(level ?? levels.lowerBound, levels.lowerBound), levels.upperBound)
    }
}
