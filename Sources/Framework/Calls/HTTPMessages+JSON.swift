import SwiftletEssentials
public import SwiftletJSON
public import SwiftletOutbound
import SwiftletWeb

extension HTTPRequest {
    static func json(
        _ method: String,
        _ url: String,
        _ body: [UInt8],
        headers: [(name: String, value: String)]
    ) -> HTTPRequest {
        let isTyped = headers.contains { $0.name.lowercased() == "content-type" }
        return HTTPRequest(
            method,
            url,
            body: body,
            headers: isTyped ? headers : headers + [("Content-Type", "application/json")]
        )
    }
}

extension HTTPResponse {
    /// The body as JSON. Throws ``HTTPFailure/unreadable`` if it is none.
    public func json() throws(HTTPFailure) -> JSONValue {
        guard let value = try? JSONParser.parse(body, maximumDepth: JSONParser.depthLimit) else { throw .unreadable }
        return value
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
