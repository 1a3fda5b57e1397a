public import Foundation

extension JSONDecoder {
    /// A new decoder for answers of the server: keys in snake_case or camelCase, dates in every form that
    /// `Date(serverText:)` takes. A date that is none is an error with its path, see
    /// ``Swift/DecodingError/explanation``.
    public static var swiftlet: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in CamelCaseKey(snakeCase: path[path.count - 1].stringValue) }
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = Date(serverText: text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a date")
            }
            return date
        }
        return decoder
    }
}

extension JSONEncoder {
    /// A new encoder for what is sent to the server: keys in snake_case, dates as `2025-03-15T17:44:35Z`. An optional
    /// that is nil is left out, which leaves the field as it is.
    public static var swiftlet: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}
