import SwiftletBytes

extension Headers {
    /// A field name: validated once, compared ignoring case, written as given.
    public struct Name: Sendable, ExpressibleByStringLiteral {
        /// The name as it is sent.
        public let text: String
        /// True for the fields that only the serializer may write, see ``Headers/append(_:_:)``.
        let isReserved: Bool

        /// Nil unless `text` is a token (RFC 9110 §5.6.2).
        public init?(_ text: String) {
            guard Name.isToken(text) else { return nil }
            self.init(checked: text, isReserved: Name.isReserved(text))
        }

        public init(stringLiteral text: String) {
            precondition(Name.isToken(text), "a field name is a token (RFC 9110 §5.6.2)")
            self.init(checked: text, isReserved: Name.isReserved(text))
        }

        @inline(__always)
        private init(checked text: String, isReserved: Bool = false) {
            self.text = text
            self.isReserved = isReserved
        }
    }
}

extension Headers.Name: Hashable {
    public static func == (left: Headers.Name, right: Headers.Name) -> Bool {
        let left = left.text.utf8
        let right = right.text.utf8
        return left.count == right.count && zip(left, right).allSatisfy { asciiLowercase($0) == asciiLowercase($1) }
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(asciiLowercase(byte)) }
    }
}

extension Headers.Name: CustomStringConvertible {
    public var description: String { text }
}

extension Headers.Name {
    public static var accept: Self { Self(checked: "Accept") }
    public static var acceptLanguage: Self { Self(checked: "Accept-Language") }
    public static var accessControlAllowCredentials: Self { Self(checked: "Access-Control-Allow-Credentials") }
    public static var accessControlAllowHeaders: Self { Self(checked: "Access-Control-Allow-Headers") }
    public static var accessControlAllowMethods: Self { Self(checked: "Access-Control-Allow-Methods") }
    public static var accessControlAllowOrigin: Self { Self(checked: "Access-Control-Allow-Origin") }
    public static var accessControlExposeHeaders: Self { Self(checked: "Access-Control-Expose-Headers") }
    public static var accessControlMaxAge: Self { Self(checked: "Access-Control-Max-Age") }
    public static var accessControlRequestHeaders: Self { Self(checked: "Access-Control-Request-Headers") }
    public static var accessControlRequestMethod: Self { Self(checked: "Access-Control-Request-Method") }
    public static var allow: Self { Self(checked: "Allow") }
    public static var apikey: Self { Self(checked: "apikey") }
    public static var authorization: Self { Self(checked: "Authorization") }
    public static var cacheControl: Self { Self(checked: "Cache-Control") }
    public static var contentDisposition: Self { Self(checked: "Content-Disposition") }
    public static var contentRange: Self { Self(checked: "Content-Range") }
    public static var contentType: Self { Self(checked: "Content-Type") }
    public static var etag: Self { Self(checked: "ETag") }
    public static var host: Self { Self(checked: "Host") }
    public static var location: Self { Self(checked: "Location") }
    public static var origin: Self { Self(checked: "Origin") }
    public static var prefer: Self { Self(checked: "Prefer") }
    public static var retryAfter: Self { Self(checked: "Retry-After") }
    public static var traceparent: Self { Self(checked: "traceparent") }
    public static var userAgent: Self { Self(checked: "User-Agent") }
    public static var vary: Self { Self(checked: "Vary") }
    public static var wwwAuthenticate: Self { Self(checked: "WWW-Authenticate") }
    public static var xContentTypeOptions: Self { Self(checked: "X-Content-Type-Options") }
    public static var xIgnoredFields: Self { Self(checked: "X-Ignored-Fields") }
    public static var xIgnoredParameters: Self { Self(checked: "X-Ignored-Parameters") }
    public static var xMissingTables: Self { Self(checked: "X-Missing-Tables") }
    public static var xUndecodableColumns: Self { Self(checked: "X-Undecodable-Columns") }
    public static var xRequestID: Self { Self(checked: "X-Request-ID") }
    public static var xTenantID: Self { Self(checked: "X-Tenant-ID") }
}

extension Headers.Name {
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ByteSet.token.contains($0) }
    }

    /// Framing and connection control: a second, contradicting field would allow response smuggling.
    private static func isReserved(_ text: String) -> Bool {
        switch text.utf8.count {
        case 4: equalsIgnoringCase(text, "date")
        case 7: equalsIgnoringCase(text, "trailer") || equalsIgnoringCase(text, "upgrade")
        case 10: equalsIgnoringCase(text, "connection") || equalsIgnoringCase(text, "keep-alive")
        case 14: equalsIgnoringCase(text, "content-length")
        case 17: equalsIgnoringCase(text, "transfer-encoding")
        default: false
        }
    }

    private static func equalsIgnoringCase(_ text: String, _ lowercase: String) -> Bool {
        zip(text.utf8, lowercase.utf8).allSatisfy { asciiLowercase($0) == $1 }
    }
}
