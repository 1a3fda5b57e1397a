import JSON

/// Writes metadata about rights in snake_case and camelCase with equal values: the iOS app reads one, servers the
/// other.
enum BothSpellings {
    private static let names = [
        ("tenant_id", "tenantId"), ("role_id", "roleId"), ("role_level", "roleLevel"), ("team_id", "teamId"),
        ("access_scope", "accessScope"), ("is_platform_user", "isPlatformUser"),
        ("is_platform_admin", "isPlatformAdmin"),
    ]

    /// Adds the missing spellings. If both exist and differ, snake_case wins, as it does when a token is verified.
    static func completing(_ metadata: JSONObject) -> JSONObject {
        var metadata = metadata
        for (snake, camel) in names {
            let known = [metadata[snake], metadata[camel]].compactMap(\.self).first { !$0.isNull }
            guard let known else { continue }
            metadata[snake] = known
            metadata[camel] = known
        }
        return metadata
    }

    /// Sets or, with nil, removes a member by its snake_case name, in both spellings.
    static func set(_ snake: String, _ value: JSONValue?, in metadata: inout JSONObject) {
        metadata[snake] = value
        if let camel = names.first(where: { $0.0 == snake })?.1 { metadata[camel] = value }
    }
}
