/// An error as the client sees it: one status, one code, one sentence, and which fields are at fault.
///
/// `message` and `details` are shown to the caller, so they never hold SQL, values of other rows or internals.
public struct APIError: Error, Hashable, Sendable {
    public var status: Status
    public var code: Code
    public var message: String
    /// Field → what is wrong with it. Left out of the body when empty; clients decode it as string → string.
    public var details: [String: String]
    var headers: [Header]
    /// The functions that exist, in the answer to one that does not.
    var available: [String]?

    public init(_ status: Status, _ code: Code, _ message: String, details: [String: String] = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        headers = []
    }

    /// A machine-readable reason. Open set: functions may add their own.
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

    func offering(_ names: [String]) -> APIError {
        var copy = self
        copy.available = names
        return copy
    }

    func adding(_ name: Headers.Name, _ value: String) -> APIError {
        var copy = self
        copy.headers.append(Header(name: name, value: value))
        return copy
    }
}

extension APIError {
    /// 400: the named fields are wrong, all of them at once.
    public static func validation(_ details: [String: String]) -> APIError {
        let fields = details.keys.sorted().joined(separator: ", ")
        return APIError(.badRequest, "VALIDATION_ERROR", "Invalid value for: \(fields)", details: details)
    }

    static let contentTooLarge = APIError(.contentTooLarge, "PAYLOAD_TOO_LARGE", "The content is too large.")

    public static let notFound = APIError(.notFound, "NOT_FOUND", "Not found")
    public static let forbidden = APIError(.forbidden, "FORBIDDEN", "You may not do this")
    public static let unauthorized = APIError(.unauthorized, "UNAUTHORIZED", "Unauthorized")
        .adding("WWW-Authenticate", "Bearer")
    public static let noTenant = APIError(.badRequest, "NO_TENANT", "No tenant ID found")

    public static func insufficientRole(needs level: Int) -> APIError {
        APIError(.forbidden, "INSUFFICIENT_ROLE", "This needs role level \(level) or higher")
    }

    public static func invalidJSON(_ reason: String) -> APIError {
        APIError(.badRequest, "INVALID_JSON", "The body is not valid JSON: \(reason)")
    }

    static let `internal` = APIError(.internalServerError, "INTERNAL", "Internal server error")

    static func unavailable(_ code: Code, _ message: String, retryAfter seconds: Int = 1) -> APIError {
        APIError(.serviceUnavailable, code, message).adding("Retry-After", String(seconds))
    }
}
