import SwiftletBytes

/// The members of `app_metadata` that decide on a user's rights, in both spellings in use.
enum MetadataName: Int, KnownName {
    case tenantID, tenantIDCamel, roleLevel, roleLevelCamel, teamID, teamIDCamel, roleID, roleIDCamel
    case isPlatformUser, isPlatformUserCamel, isPlatformAdmin, isPlatformAdminCamel, role

    init?(_ name: borrowing Span<UInt8>) {
        switch name.count {
        case 4 where name.isText("role"): self = .role
        case 6 where name.isText("teamId"): self = .teamIDCamel
        case 6 where name.isText("roleId"): self = .roleIDCamel
        case 7 where name.isText("team_id"): self = .teamID
        case 7 where name.isText("role_id"): self = .roleID
        case 8 where name.isText("tenantId"): self = .tenantIDCamel
        case 9 where name.isText("tenant_id"): self = .tenantID
        case 9 where name.isText("roleLevel"): self = .roleLevelCamel
        case 10 where name.isText("role_level"): self = .roleLevel
        case 14 where name.isText("isPlatformUser"): self = .isPlatformUserCamel
        case 15 where name.isText("isPlatformAdmin"): self = .isPlatformAdminCamel
        case 16 where name.isText("is_platform_user"): self = .isPlatformUser
        case 17 where name.isText("is_platform_admin"): self = .isPlatformAdmin
        default: return nil
        }
    }
}
