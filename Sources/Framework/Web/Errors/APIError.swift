import SwiftletBytes

/// An error as the client sees it: a status, a code, a message, and the fields at fault.
///
/// The body is `{"error":…,"message":…,"msg":…,"code":…,"request_id":…,"details":{…}}`. Everything in it is shown to
/// the client, so never put SQL, other rows' values or internals into `message` or `details`.
public struct APIError: Error, Hashable, Sendable {
    public var status: Status
    public var code: Code
    public var message: String
    /// Field name → what is wrong with its value. Left out of the body if empty.
    public var details: [String: String]
    var headers: [Header]
    /// The names of all functions, in the 404 for an unknown one.
    var available: [String]?
    /// Which of them may have been meant.
    var hint: String?

    /// Clients see all of it. The log names `code` and `message` if the status is 500 or more.
    public init(_ status: Status, _ code: Code, _ message: String, details: [String: String] = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        headers = []
    }

    /// A machine-readable reason, such as `NOT_FOUND`. Functions may define their own.
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public init(stringLiteral value: String) {
            rawValue = value
        }
    }

    struct Header: Hashable, Sendable {
        let name: Headers.Name
        let value: String
    }

    func offering(_ names: [String], insteadOf wanted: String?) -> APIError {
        var copy = self
        copy.available = names
        let near = wanted.flatMap { NearestName.find($0, among: names, leastLikeness: 0.6) }
        copy.hint = near.map { "Perhaps you meant the function \($0)." }
        return copy
    }

    func adding(_ name: Headers.Name, _ value: String) -> APIError {
        var copy = self
        copy.headers.append(Header(name: name, value: value))
        return copy
    }
}

extension APIError: CustomStringConvertible {
    /// `OVERLOADED: Too many requests are waiting`, for logs.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension APIError {
    /// 400 `VALIDATION_ERROR`: the named fields are invalid. Report all of them at once.
    public static func validation(_ details: [String: String]) -> APIError {
        let fields = details.keys.sorted().joined(separator: ", ")
        return APIError(.badRequest, "VALIDATION_ERROR", "Invalid value for: \(fields)", details: details)
    }

    /// 405 `METHOD_NOT_ALLOWED`; the methods are for `Allow` (RFC 9110 §10.2.1).
    static func methodNotAllowed(_ allowed: String) -> APIError {
        APIError(.methodNotAllowed, "METHOD_NOT_ALLOWED", "Method not allowed").adding(.allow, allowed)
    }

    package static let contentTooLarge = APIError(.contentTooLarge, "PAYLOAD_TOO_LARGE", "The content is too large.")

    /// 404 `NOT_FOUND`: no such row in this tenant, or no such path.
    public static let notFound = APIError(.notFound, "NOT_FOUND", "Not found")
    /// Not equal to ``notFound``, which a deletion takes for a row that is gone: these rows may come back.
    package static let missingTable = APIError(.notFound, "NOT_FOUND", "Not found: the database lacks the table")
    /// 403 `FORBIDDEN`.
    public static let forbidden = APIError(.forbidden, "FORBIDDEN", "You may not do this")
    /// 401 `UNAUTHORIZED`: the route needs a verified user.
    public static let unauthorized = APIError(.unauthorized, "UNAUTHORIZED", "Unauthorized")
        .adding("WWW-Authenticate", "Bearer")
    /// The same for a key or token that is valid and stands for no user (RFC 6750 §3.1).
    static let nobody = APIError(.unauthorized, "UNAUTHORIZED", "Unauthorized")
        .adding("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\"token names no user\"")
    /// 400 `NO_TENANT`: the user has no tenant.
    public static let noTenant = APIError(.badRequest, "NO_TENANT", "No tenant ID found")

    /// 403 `INSUFFICIENT_ROLE`: the route needs at least role level `level` (1…8).
    public static func insufficientRole(needs level: Int) -> APIError {
        APIError(.forbidden, "INSUFFICIENT_ROLE", "This needs role level \(level) or higher")
    }

    /// 400 `INVALID_JSON`: the body cannot be parsed.
    public static func invalidJSON(_ reason: String) -> APIError {
        APIError(.badRequest, "INVALID_JSON", "The body is not valid JSON: \(reason)")
    }

    /// 415, which tells the client to send it again as it is (RFC 9110 §15.5.16).
    static let compressed = APIError(
        .unsupportedMediaType,
        "UNSUPPORTED_MEDIA_TYPE",
        "The body must not be compressed"
    )
    .adding("Accept-Encoding", "identity")

    package static let `internal` = APIError(.internalServerError, "INTERNAL", "Internal server error")

    package static func unavailable(_ code: Code, _ message: String, retryAfter seconds: Int = 1) -> APIError {
        APIError(.serviceUnavailable, code, message).adding("Retry-After", String(seconds))
    }
}
