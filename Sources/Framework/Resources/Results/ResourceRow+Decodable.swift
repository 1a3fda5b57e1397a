import SwiftletWeb

extension ResourceRow {
    /// The row as a value of your own type, from what clients read: keys are converted from snake_case, dates are parsed
    /// as ISO 8601.
    ///
    ///     let van = try await vans.get(key, in: context).decode(Van.self)
    ///
    /// Throws `DecodingError` where the type asks for what the row does not have.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        var json = JSONWriter()
        json.write(self)
        return try SnakeCaseJSON.decode(type, from: json.finish())
    }
}

extension ResourcePage {
    /// The page's rows as values of your own type, see ``ResourceRow/decode(_:)``.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> [Value] {
        try map { try $0.decode(type) }
    }
}
