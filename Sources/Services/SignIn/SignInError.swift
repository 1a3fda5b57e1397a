import SwiftletHTTP

/// An error of `/auth/v1` and `mobile-auth`: a status, a stable code, and a message for people.
struct SignInError: Error, Hashable, CustomStringConvertible {
    let status: Status
    let code: Code
    let message: String
    /// The value of `Retry-After` for a 429 or 503.
    let retryAfterSeconds: Int?
    /// Whether the body has the form of RFC 6749 §5.2, with ``code`` as `error` and ``message`` as `error_description`.
    let isOAuth: Bool
    /// What a `weak_password` lacks, in GoTrue's words: `length`, `characters`.
    var reasons: [String] = []
    /// Why the database refused a change of an account.
    var fault: DatabaseFault?

    init(_ status: Status, _ code: Code, _ message: String, retryAfterSeconds: Int? = nil) {
        self.init(status, code, message, retryAfterSeconds, isOAuth: false)
    }

    /// A refused grant, always 400.
    static func oauth(_ error: Code, _ description: String) -> SignInError {
        SignInError(.badRequest, error, description, nil, isOAuth: true)
    }

    private init(_ status: Status, _ code: Code, _ message: String, _ retryAfterSeconds: Int?, isOAuth: Bool) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
        self.isOAuth = isOAuth
    }

    var description: String { "\(code.rawValue): \(message)" }

    /// The word that clients switch over.
    ///
    /// supabase-swift signs the user out on `session_not_found`, `session_expired`, `refresh_token_not_found` and
    /// `refresh_token_already_used`: never send one of these for a temporary failure.
    struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        let rawValue: String
        init(rawValue: String) { self.rawValue = rawValue }
        init(stringLiteral value: StaticString) { rawValue = value.description }
    }
}
