import Foundation

extension Request {
    /// The body as a value of your own type: `let task = try request.decode(NewTask.self)`.
    ///
    /// Keys are converted from snake_case, dates are parsed as ISO 8601. Throws `DecodingError`, which becomes a 400
    /// that names the field in snake_case, or ``APIError`` 415 if the body is compressed.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        guard !isCompressed else { throw APIError.compressed }
        return try decoder.decode(type, from: Data(body))
    }
}
