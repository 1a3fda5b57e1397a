import SwiftletAuth
import SwiftletJSON

/// A user's tenant, role, team and name in `public.users` and `roles`. Found by id, never by e-mail address, which
/// anybody may claim.
struct Profile: Sendable {
    /// The row of `users`, without the password hash.
    private let person: JSONObject
    /// The row of `roles`, if there is one.
    private let role: JSONObject?

    init?(_ json: JSONValue) {
        guard let person = json["person"]?.object else { return nil }
        self.person = person
        role = json["role"]?.object
    }

    /// False for disabled users.
    var isActive: Bool { person["is_active"]?.bool ?? true }

    /// Replaces the rights in `metadata`. Every column that the table has takes precedence, even if it is empty.
    func replaceRights(in metadata: inout JSONObject) {
        for member in [MetadataMember.tenantID, .roleID, .teamID, .accessScope] {
            // The columns have the names that servers read.
            guard let value = person[member.snake] else { continue }
            metadata.set(member, Self.text(value))
        }
        if let mark = person["is_platform_user"] {
            metadata.set(.isPlatformUser, .bool(mark.bool ?? false))
            metadata.set(.isPlatformAdmin, nil)
        }
        guard person["role_id"] != nil else { return }
        metadata.set(.roleLevel, role?["level"].flatMap(Self.number))
        metadata["role"] = role?["code"].flatMap(Self.text)
    }

    /// Adds the names, unless the user has set them.
    func addName(to metadata: inout JSONObject) {
        for (column, snake, camel) in [
            ("first_name", "first_name", "firstName"), ("last_name", "last_name", "lastName"),
            ("profile_image_url", "avatar_url", "avatarUrl"),
        ] where metadata[snake] == nil && metadata[camel] == nil {
            guard let text = person[column]?.string, !text.isEmpty else { continue }
            metadata[camel] = .string(text)
        }
    }

    /// Apps expect ids as strings, even if the column is numeric.
    private static func text(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .string(let text) where !text.isEmpty: value
        case .number(let number): .string(number.text)
        default: Optional.none
        }
    }

    private static func number(_ value: JSONValue) -> JSONValue? { value.int == nil ? Optional.none : value }
}
