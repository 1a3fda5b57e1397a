import JSON

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
        for name in ["tenant_id", "role_id", "team_id", "access_scope"] {
            guard let value = person[name] else { continue }
            BothSpellings.set(name, Self.text(value), in: &metadata)
        }
        if let mark = person["is_platform_user"] {
            BothSpellings.set("is_platform_user", .bool(mark.bool ?? false), in: &metadata)
            // An older spelling of the same right.
            BothSpellings.set("is_platform_admin", nil, in: &metadata)
        }
        guard person["role_id"] != nil else { return }
        BothSpellings.set("role_level", role?["level"].flatMap(Self.number), in: &metadata)
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
