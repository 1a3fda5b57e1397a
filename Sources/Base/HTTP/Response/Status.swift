/// A response status code, written as a number or by name: `404`, `.notFound`.
public struct Status: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public init(integerLiteral value: Int) {
        rawValue = value
    }

    /// Whether a response of that status has a body (RFC 9110 §6.4.1).
    package var hasContent: Bool { self != .noContent && self != .resetContent && self != .notModified }

    package static var switchingProtocols: Status { 101 }
    public static var ok: Status { 200 }
    public static var created: Status { 201 }
    public static var accepted: Status { 202 }
    public static var noContent: Status { 204 }
    public static var resetContent: Status { 205 }
    public static var notModified: Status { 304 }
    public static var badRequest: Status { 400 }
    public static var unauthorized: Status { 401 }
    public static var forbidden: Status { 403 }
    public static var notFound: Status { 404 }
    public static var methodNotAllowed: Status { 405 }
    public static var notAcceptable: Status { 406 }
    public static var requestTimeout: Status { 408 }
    public static var conflict: Status { 409 }
    public static var gone: Status { 410 }
    public static var preconditionFailed: Status { 412 }
    public static var contentTooLarge: Status { 413 }
    public static var uriTooLong: Status { 414 }
    public static var unsupportedMediaType: Status { 415 }
    public static var expectationFailed: Status { 417 }
    public static var unprocessableContent: Status { 422 }
    public static var tooManyRequests: Status { 429 }
    public static var requestHeaderFieldsTooLarge: Status { 431 }
    public static var internalServerError: Status { 500 }
    public static var notImplemented: Status { 501 }
    public static var badGateway: Status { 502 }
    public static var serviceUnavailable: Status { 503 }
    public static var gatewayTimeout: Status { 504 }
    public static var httpVersionNotSupported: Status { 505 }
}

extension Status {
    /// The registered reason phrase (RFC 9110 §15, RFC 6585); empty for other codes.
    public var reasonPhrase: String {
        switch rawValue {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}

extension Status: CustomStringConvertible {
    public var description: String { "\(rawValue) \(reasonPhrase)" }
}
