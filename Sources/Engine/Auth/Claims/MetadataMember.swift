package import SwiftletJSON

/// A member of `app_metadata` that is written in both spellings with equal values: apps read camelCase, servers
/// snake_case.
package struct MetadataMember: Sendable {
    package let snake: String
    package let camel: String
    private let kind: Kind

    /// The type that the app's model has for a member. It refuses the whole user over a value of another type.
    private enum Kind {
        case text
        case level
        case flag
    }

    private init(_ snake: String, _ camel: String, _ kind: Kind) {
        self.snake = snake
        self.camel = camel
        self.kind = kind
    }

    package static let tenantID = MetadataMember("tenant_id", "tenantId", .text)
    package static let roleID = MetadataMember("role_id", "roleId", .text)
    package static let roleLevel = MetadataMember("role_level", "roleLevel", .level)
    package static let teamID = MetadataMember("team_id", "teamId", .text)
    package static let accessScope = MetadataMember("access_scope", "accessScope", .text)
    package static let isPlatformUser = MetadataMember("is_platform_user", "isPlatformUser", .flag)
    /// An older name of ``isPlatformUser``.
    package static let isPlatformAdmin = MetadataMember("is_platform_admin", "isPlatformAdmin", .flag)

    package static let all = [tenantID, roleID, roleLevel, teamID, accessScope, isPlatformUser, isPlatformAdmin]

    /// Whether the app can decode the value.
    package func admits(_ value: JSONValue) -> Bool {
        switch (kind, value) {
        case (.text, .string), (.flag, .bool): true
        case (.level, .number(let number)): number.int != nil
        default: false
        }
    }
}

extension JSONObject {
    /// Sets or, with nil, removes both spellings of a member.
    package mutating func set(_ member: MetadataMember, _ value: JSONValue?) {
        self[member.snake] = value
        self[member.camel] = value
    }
}
