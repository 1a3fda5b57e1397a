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

    private static func bytes(_ object: JSONObject) -> Int {
        JSONValue.object(object).description.utf8.count + zeros(.object(object))
    }

    /// How much longer the numbers come back than they were sent: jsonb keeps them as numeric, which writes `1e9` with
    /// nine zeros (PostgreSQL 8.14). Seven bytes may so stand for 131 000.
    private static func zeros(_ value: JSONValue) -> Int {
        switch value {
        case .array(let values): values.reduce(0) { $0 + zeros($1) }
        case .object(let object): object.reduce(0) { $0 + zeros($1.value) }
        case .number(let number): zeros(number)
        case .null, .bool, .string: 0
        }
    }

    /// The exponent's size; one beyond what numeric has counts as too large by itself.
    private static func zeros(_ number: JSONNumber) -> Int {
        guard let mark = number.text.utf8.lastIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return 0 }
        let exponent = Int(number.text[number.text.index(after: mark)...]) ?? .max
        return min(Int(clamping: exponent.magnitude), maximumBytes + 1)
    }
}
