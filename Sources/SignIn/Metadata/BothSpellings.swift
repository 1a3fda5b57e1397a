import JSON

/// Makes the spellings of a member, in snake_case and camelCase, agree: the iOS app reads one, servers the other.
enum BothSpellings {
    private static let names: [(snake: String, camel: String, kind: Kind)] = [
        ("tenant_id", "tenantId", .text), ("role_id", "roleId", .text), ("role_level", "roleLevel", .level),
        ("team_id", "teamId", .text), ("access_scope", "accessScope", .text),
        ("is_platform_user", "isPlatformUser", .flag), ("is_platform_admin", "isPlatformAdmin", .flag),
    ]

    /// The type that the app's model has for a member. It refuses the whole user over a value of another type.
    private enum Kind {
        case text
        case level
        case flag

        func admits(_ value: JSONValue) -> Bool {
            switch (self, value) {
            case (.text, .string), (.flag, .bool): true
            case (.level, .number(let number)): number.int != nil
            default: false
            }
        }
    }

    /// Adds the missing spellings. If both exist and differ, snake_case wins, as it does when a token is verified.
    ///
    /// A value of another type than the app expects is left out. It grants nothing anyway: a token with it counts as
    /// one without.
    static func completing(_ metadata: JSONObject) -> JSONObject {
        var metadata = metadata
        for (snake, camel, kind) in names {
            let known = [metadata[snake], metadata[camel]].compactMap(\.self).first { !$0.isNull }
            guard let known else { continue }
            let value = kind.admits(known) ? known : Optional.none
            metadata[snake] = value
            metadata[camel] = value
        }
        return metadata
    }

    private static let displayNames = [
        ("first_name", "firstName"), ("last_name", "lastName"), ("avatar_url", "avatarUrl"),
    ]

    /// Leaves out names and pictures that are no texts, over which the app's model refuses the whole user as well. If
    /// both spellings exist and differ, the first that is not empty wins.
    static func repairing(_ userMetadata: JSONObject) -> JSONObject {
        var metadata = userMetadata
        for (snake, camel) in displayNames {
            let text = [metadata[snake], metadata[camel]].compactMap(\.self).first { $0.string?.isEmpty == false }
            for name in [snake, camel] where metadata[name] != nil { metadata[name] = text }
        }
        return metadata
    }

    /// `changes` of user metadata with the spelling that the account has in addition to the changed one.
    static func completing(_ changes: JSONObject, of stored: JSONObject) -> JSONObject {
        var changes = changes
        for (snake, camel) in displayNames {
            for (changed, other) in [(snake, camel), (camel, snake)] where changes[other] == nil {
                if stored[other] != nil { changes[other] = changes[changed] }
            }
        }
        return changes
    }

    /// Sets or, with nil, removes a member by its snake_case name, in both spellings.
    static func set(_ snake: String, _ value: JSONValue?, in metadata: inout JSONObject) {
        metadata[snake] = value
        if let camel = names.first(where: { $0.snake == snake })?.camel { metadata[camel] = value }
    }
}
