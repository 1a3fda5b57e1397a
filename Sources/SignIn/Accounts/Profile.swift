internal import JSON

/// What `public.users` and `roles` say of a person: tenant, role, team, name. Found by id, never by e-mail, as anybody
/// may claim an address.
struct Profile: Sendable {
    /// The row of `users`, without the password's hash.
    private let person: JSONObject
    /// The row of `roles`, if there is one.
    private let role: JSONObject?

    init?(_ json: JSONValue) {
        guard let person = json["person"]?.object else { return nil }
        self.person = person
        role = json["role"]?.object
    }

    /// False for people who were switched off.
    var isActive: Bool { person["is_active"]?.bool ?? true }

    /// Each column that the table has decides, also by being empty.
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

    /// What the user has written there stays.
    func addName(to metadata: inout JSONObject) {
        for (column, snake, camel) in [
            ("first_name", "first_name", "firstName"), ("last_name", "last_name", "lastName"),
            ("profile_image_url", "avatar_url", "avatarUrl"),
        ] where metadata[snake] == nil && metadata[camel] == nil {
            guard let text = person[column]?.string, !text.isEmpty else { continue }
            metadata[camel] = .string(text)
        }
    }

    /// Ids are texts for the apps, also where the database counts.
    private static func text(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .string(let text) where !text.isEmpty: value
        case .number(let number): .string(number.text)
        default: Optional.none
        }
    }

    private static func number(_ value: JSONValue) -> JSONValue? { value.int == nil ? Optional.none : value }
}
