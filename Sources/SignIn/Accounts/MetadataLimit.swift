internal import HTTP
internal import JSON

/// How much may be kept of and by a person. All of it goes into every access token, and one that is too large to be
/// verified would shut its owner out.
enum MetadataLimit {
    /// Of `user_metadata`, and of `app_metadata`, as JSON.
    static let maximumBytes = 4096

    /// Throws when `stored` with these members in place of its own would be too large; null removes one. What was too
    /// large already, as another server may have left it, may stay so but not grow.
    static func check(_ changes: JSONObject, into stored: JSONObject = [:], _ name: StaticString) throws(SignInError) {
        var merged = JSONObject()
        for (member, value) in stored where changes[member] == nil { merged[member] = value }
        for (member, value) in changes where !value.isNull { merged[member] = value }
        let size = bytes(merged)
        guard size <= maximumBytes || size <= bytes(stored) else {
            throw SignInError(
                .badRequest,
                "validation_failed",
                "\(name) may have \(maximumBytes) bytes as JSON, as every access token holds it"
            )
        }
    }

    /// As the database writes it.
    private static func bytes(_ object: JSONObject) -> Int {
        let value = JSONValue.object(object)
        return value.description.utf8.count + value.exponentDigits
    }
}
