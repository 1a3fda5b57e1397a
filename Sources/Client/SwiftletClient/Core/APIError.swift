public import Foundation

/// What keeps the app from what it asked for.
///
/// `localizedDescription` is a sentence for people; ``requestID`` finds the request in the server's log. Two errors are
/// equal if an app would treat them alike: `error == .notFound`, whatever the server said of it.
public enum APIError: Error, Sendable {
    /// Nobody is signed in, or not any more.
    case unauthorized(Refusal)
    /// The token store cannot be read at the moment, so that nobody knows who is signed in: before the first unlock of a
    /// device, for example. No reason to sign in again.
    case sessionUnreadable
    /// The user may not do this.
    case forbidden(Refusal)
    /// There is no such row, or not for this user.
    case notFound(Refusal)
    /// Fields that the server does not take, and why.
    case validation([String: String])
    /// What is there already, or has changed meanwhile, does not allow it.
    case conflict(Refusal)
    /// Too many requests; the server says in how many seconds it listens again.
    case rateLimited(retryAfter: TimeInterval?)
    /// The server failed; its log knows more.
    case server(requestID: String?)
    /// No answer: no network, no server, or it took too long.
    case network(URLError)
    /// The answer is not what this build expects: see ``Swift/DecodingError/explanation``.
    case decoding(String)
    /// Another refusal: of a password, a request that makes no sense, a file that is too large.
    case refused(Refusal)
    /// The request could not be made: a value that cannot be encoded, or an address that is none.
    case invalidRequest(String)

    /// What the server said.
    public struct Refusal: Sendable, Hashable {
        public var status: Int
        /// For programs, such as `INSUFFICIENT_ROLE`.
        public var code: String?
        /// For people.
        public var message: String?
        public var requestID: String?
        /// The fields concerned, and why.
        public var details: [String: String]

        public init(
            status: Int,
            code: String? = nil,
            message: String? = nil,
            requestID: String? = nil,
            details: [String: String] = [:]
        ) {
            self.status = status
            self.code = code
            self.message = message
            self.requestID = requestID
            self.details = details
        }
    }

    public static var unauthorized: APIError { .unauthorized(Refusal(status: 401)) }
    public static var forbidden: APIError { .forbidden(Refusal(status: 403)) }
    public static var notFound: APIError { .notFound(Refusal(status: 404)) }
    public static var conflict: APIError { .conflict(Refusal(status: 409)) }
    public static var network: APIError { .network(URLError(.notConnectedToInternet)) }

    /// What the server said; nil if it said nothing that matters, or nothing at all.
    public var refusal: Refusal? {
        switch self {
        case .unauthorized(let refusal), .forbidden(let refusal), .notFound(let refusal), .conflict(let refusal),
            .refused(let refusal):
            refusal
        default: nil
        }
    }

    /// For support: the request's name in the server's log.
    public var requestID: String? {
        if case .server(let requestID) = self { return requestID }
        return refusal?.requestID
    }
}

extension APIError: Equatable {
    public static func == (one: APIError, other: APIError) -> Bool {
        switch (one, other) {
        case (.unauthorized, .unauthorized), (.forbidden, .forbidden), (.notFound, .notFound), (.conflict, .conflict),
            (.server, .server), (.network, .network), (.sessionUnreadable, .sessionUnreadable):
            true
        case (.validation(let one), .validation(let other)): one == other
        case (.rateLimited(let one), .rateLimited(let other)): one == other
        case (.decoding(let one), .decoding(let other)): one == other
        case (.refused(let one), .refused(let other)): one.status == other.status && one.code == other.code
        case (.invalidRequest(let one), .invalidRequest(let other)): one == other
        default: false
        }
    }
}

extension APIError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unauthorized(let refusal): refusal.message ?? "Please sign in again."
        case .sessionUnreadable: "Please unlock the device and try again."
        case .forbidden: "You do not have permission to do this."
        case .notFound: "This item does not exist, or not any more."
        case .validation(let fields):
            fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        case .conflict(let refusal): refusal.message ?? "This does not fit what is there already."
        case .rateLimited(let seconds?) where seconds >= 1:
            "Too many requests. Please try again in \(Int(seconds.rounded(.up))) seconds."
        case .rateLimited: "Too many requests. Please try again later."
        case .server: "The server has a problem. Please try again later."
        case .network(let error) where error.code == .notConnectedToInternet: "You are not connected to the internet."
        case .network: "The server cannot be reached. Please check your connection."
        case .decoding: "The server's answer could not be read. Please update the app."
        case .refused(let refusal): refusal.message ?? "The server refused the request (\(refusal.status))."
        case .invalidRequest: "The request could not be made."
        }
    }
}
