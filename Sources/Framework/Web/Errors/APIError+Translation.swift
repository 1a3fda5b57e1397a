import SwiftletHTTP
import SwiftletBlockingPool
import SwiftletPostgres

extension APIError {
    /// The only place where errors are mapped to HTTP. An unexpected error is a 500 that reveals nothing.
    /// `isRead` means that the request changes nothing.
    init(_ error: any Error, isRead: Bool = false) {
        switch error {
        case let error as APIError: self = error
        case let error as PostgresError: self = APIError(error, isRead: isRead)
        case let error as any APIErrorConvertible: self = error.apiError
        case let error as MultipartError:
            self = APIError(.badRequest, "INVALID_MULTIPART", "The body is not a valid form: \(error)")
        case is Overload: self = .unavailable("OVERLOADED", "Too much work is waiting; try again")
        case RequestBodyError.tooLarge: self = .contentTooLarge
        case is RequestBodyError: self = APIError(.badRequest, "INCOMPLETE_BODY", "The body did not arrive as a whole")
        case is CancellationError: self = .unavailable("TIMEOUT", "The request took too long")
        case let error as DecodingError: self = APIError(error)
        default: self = .internal
        }
    }

    /// The code for a request that the HTTP server refused, where only the status is known.
    static func code(for status: Status) -> Code {
        switch status.rawValue {
        case 405: "METHOD_NOT_ALLOWED"
        case 408: "REQUEST_TIMEOUT"
        case 413: "PAYLOAD_TOO_LARGE"
        case 414: "URI_TOO_LONG"
        case 415: "UNSUPPORTED_MEDIA_TYPE"
        case 417: "EXPECTATION_FAILED"
        case 429: "TOO_MANY_REQUESTS"
        case 431: "HEADER_FIELDS_TOO_LARGE"
        case 501: "NOT_IMPLEMENTED"
        case 503: "OVERLOADED"
        case 505: "VERSION_NOT_SUPPORTED"
        default: "BAD_REQUEST"
        }
    }

    /// A body that does not match the type passed to ``Request/decode(_:)``.
    private init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context) where context.codingPath.isEmpty:
            self = .invalidJSON("a value of another type is expected")
        case .valueNotFound(_, let context) where context.codingPath.isEmpty:
            self = .invalidJSON("a value of another type is expected")
        case .keyNotFound(let key, let context):
            self = .validation([Self.path(context.codingPath + [key]): "is required"])
        case .typeMismatch(_, let context):
            self = .validation([Self.path(context.codingPath): "has the wrong type"])
        case .valueNotFound(_, let context):
            self = .validation([Self.path(context.codingPath): "must not be null"])
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            self = .invalidJSON("it cannot be read")
        case .dataCorrupted(let context):
            self = .validation([Self.path(context.codingPath): "has an invalid value"])
        @unknown default: self = .internal
        }
    }

    /// As on the wire: `line_items.0.unit_price`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map(String.init) ?? snakeCased(key.stringValue) }.joined(separator: ".")
    }
}
