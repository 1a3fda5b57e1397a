import Foundation
public import SwiftletOutbound

extension Request {
    /// The body as a value of your own type: `let task = try request.decode(NewTask.self)`.
    ///
    /// Keys are converted from snake_case, dates are parsed as ISO 8601. Throws `DecodingError`, which becomes a 400
    /// that names the field in snake_case, or ``APIError`` 415 if the body is compressed.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !isCompressed else { throw APIError.compressed }
        return try JSONText.decode(type, from: body)
    }
}

/// JSON whose keys are in snake_case and whose dates are ISO 8601.
package enum JSONText {
    /// Throws `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(json))
    }
}

extension HTTPResponse {
    /// The body of another service's response as a value of your own type.
    ///
    /// Keys are taken as they are, dates are parsed as ISO 8601. Throws ``HTTPFailure/unreadable``, which is no fault of
    /// our client's.
    public func decode<Value: Decodable>(_ type: Value.Type) throws(HTTPFailure) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let value = try? decoder.decode(type, from: Data(body)) else { throw .unreadable }
        return value
    }
}

extension OutgoingHTTP {
    /// Posts a value of your own type as JSON, with its keys as they are and dates as ISO 8601.
    ///
    /// Throws ``HTTPFailure``, or `EncodingError`.
    public func post(
        _ url: String,
        json value: some Encodable,
        headers: [(name: String, value: String)] = []
    ) async throws -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try await send(.json("POST", url, Array(try encoder.encode(value)), headers: headers))
    }
}
