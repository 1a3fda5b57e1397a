package import HTTP

/// A refusal as clients of `/auth/v1` and `mobile-auth` know it: a status, a stable code, a text for people.
package struct SignInError: Error, Hashable {
    package let status: Status
    package let code: Code
    package let message: String
    /// For the header `Retry-After` of a 429 or 503.
    package let retryAfterSeconds: Int?
    /// Whether the body is that of RFC 6749 §5.2, whatever the client's version: ``code`` as its `error`, ``message`` as
    /// its `error_description`.
    package let isOAuth: Bool

    package init(_ status: Status, _ code: Code, _ message: String, retryAfterSeconds: Int? = nil) {
        self.init(status, code, message, retryAfterSeconds, isOAuth: false)
    }

    /// A refused grant, always 400.
    package static func oauth(_ error: Code, _ description: String) -> SignInError {
        SignInError(.badRequest, error, description, nil, isOAuth: true)
    }

    private init(_ status: Status, _ code: Code, _ message: String, _ retryAfterSeconds: Int?, isOAuth: Bool) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
        self.isOAuth = isOAuth
    }

    /// The word that clients switch over. Four of them sign the user out, see ``endsTheSession``.
    package struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package init(stringLiteral value: StaticString) { rawValue = value.description }

        /// Whether supabase-swift forgets the session on seeing it; never to be sent for passing trouble.
        package var endsTheSession: Bool {
            switch rawValue {
            case "session_not_found", "session_expired", "refresh_token_not_found", "refresh_token_already_used": true
            default: false
            }
        }
    }
}
