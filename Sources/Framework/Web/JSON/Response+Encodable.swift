import SwiftletEssentials

/// How the names of a value's members become keys of JSON.
public enum JSONKeys: Sendable {
    /// `dueDate` becomes `due_date`, as ``Request/decode(_:)`` reads it.
    case snakeCase
    /// As the type declares them.
    case asDeclared
}

extension Response {
    /// A value of your own type as JSON; dates are UTC with whole seconds, as everywhere (`2026-11-23T10:00:00Z`).
    ///
    /// Throws `EncodingError` for a value that JSON cannot hold, such as an infinite number.
    public static func json(
        encoding value: some Encodable,
        _ status: Status = .ok,
        keys: JSONKeys = .snakeCase
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        if case .snakeCase = keys { encoder.keyEncodingStrategy = .convertToSnakeCase }
        return Response(status, Array(try encoder.encode(value)))
    }
}
