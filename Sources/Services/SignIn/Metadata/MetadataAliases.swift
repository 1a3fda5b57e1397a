import SwiftletAuth
import SwiftletJSON

/// Makes the spellings of a member, in snake_case and camelCase, agree: the iOS app reads one, servers the other.
enum MetadataAliases {
    /// Adds the missing spellings. If both exist and differ, snake_case wins, as it does when a token is verified.
    ///
    /// A value of another type than the app expects is left out. It grants nothing anyway: a token with it counts as
    /// one without.
    static func completing(_ metadata: JSONObject) -> JSONObject {
        var metadata = metadata
        for member in MetadataMember.all {
            let known = [metadata[member.snake], metadata[member.camel]].compactMap(\.self).first { !$0.isNull }
            guard let known else { continue }
            metadata.set(member, member.admits(known) ? known : Optional.none)
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
}
