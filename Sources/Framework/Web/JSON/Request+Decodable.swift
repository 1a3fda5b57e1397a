import SwiftletEssentials
public import SwiftletHTTP

extension Request {
    /// The body as a value of your own type: `let task = try request.decode(NewTask.self)`.
    ///
    /// Keys are converted from snake_case, dates are parsed as ISO 8601. Throws `DecodingError`, which becomes a 400
    /// that names the field in snake_case, or ``APIError`` 415 if the body is compressed.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !isCompressed else { throw APIError.compressed }
        return try SnakeCaseJSON.decode(type, from: body)
    }
}

/// JSON whose keys are in snake_case and whose dates are ISO 8601.
package enum SnakeCaseJSON {
    /// Throws `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(json))
    }
}
