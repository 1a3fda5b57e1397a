import SwiftletHTTP
import SwiftletJSON

/// Limits the size of metadata. All of it goes into every access token, and a user whose token is too large to be
/// verified would be locked out.
enum MetadataLimit {
    /// The maximum size of `user_metadata`, and of `app_metadata`, as JSON.
    static let maximumBytes = 4096

    /// Returns `stored` merged with `changes`; null removes a member. Throws ``SignInError`` 400 if that is too large.
    /// Metadata that is already too large may stay so, but not grow.
    @discardableResult
    static func check(
        _ changes: JSONObject,
        into stored: JSONObject = [:],
        _ name: StaticString
    ) throws(SignInError) -> JSONObject {
        var merged = JSONObject()
        for (member, value) in stored where changes[member] == nil { merged[member] = value }
        for (member, value) in changes where !value.isNull { merged[member] = value }
        let size = bytes(merged)
        guard size <= maximumBytes || size <= bytes(stored) else {
            throw SignInError.invalid("\(name) may have \(maximumBytes) bytes as JSON, as every access token holds it")
        }
        return merged
    }

    /// The changes of an account's user metadata, in both spellings: what is stored is what counts.
    @discardableResult
    static func completing(_ changes: JSONObject, of account: Account) throws(SignInError) -> JSONObject {
        let changes = MetadataAliases.completing(changes, of: account.storedUserMetadata)
        try check(changes, into: account.storedUserMetadata, "user_metadata")
        return changes
    }

    /// The size as written by PostgreSQL, which expands exponents.
    private static func bytes(_ object: JSONObject) -> Int {
        let value = JSONValue.object(object)
        return value.description.utf8.count + value.exponentDigits
    }
}
