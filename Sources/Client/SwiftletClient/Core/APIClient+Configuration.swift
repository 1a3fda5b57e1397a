public import Foundation

extension APIClient {
    /// Where the server is, and how the app introduces itself.
    public struct Configuration: Sendable {
        /// Takes what has no place of its own.
        public var baseURL: URL
        /// Takes `/api/…` without `/api`, if it is set.
        public var functionsURL: URL?
        /// Takes `/auth/…`, if it is set.
        public var authURL: URL?
        /// The key of the project that apps of Supabase send; a server of one's own needs none.
        public var apiKey: String?
        /// What the server's log calls this app (`X-Client`).
        public var clientName: String
        /// For one request, in seconds.
        public var timeout: TimeInterval
        /// How often and how patiently a request that found no server is sent again.
        public var retry = RetryPolicy()
        /// Whether the server keeps answers by `Idempotency-Key`, as ours do: without, changes are sent once.
        public var sendsIdempotencyKeys = true

        public init(
            baseURL: URL,
            functionsURL: URL? = nil,
            authURL: URL? = nil,
            apiKey: String? = nil,
            clientName: String = "swiftlet-client",
            timeout: TimeInterval = 30
        ) {
            self.baseURL = baseURL
            self.functionsURL = functionsURL
            self.authURL = authURL
            self.apiKey = apiKey
            self.clientName = clientName
            self.timeout = timeout
        }

        /// The address of an endpoint's path, whose segments are encoded already.
        func url(of endpoint: APIEndpoint) throws(APIError) -> URL {
            let path = endpoint.path.hasPrefix("/") ? endpoint.path : "/\(endpoint.path)"
            let (base, rest) =
                if path.hasPrefix("/auth/"), let authURL {
                    (authURL, path[...])
                } else if path.hasPrefix("/api/"), let functionsURL {
                    (functionsURL, path.dropFirst(4))
                } else {
                    (baseURL, path[...])
                }
            var text = base.absoluteString
            while text.hasSuffix("/") { text.removeLast() }
            text += rest
            if !endpoint.query.isEmpty { text += "?" + QueryText.make(endpoint.query) }
            guard let url = URL(string: text) else { throw .invalidRequest("\(path) is no path") }
            return url
        }
    }
}

/// Names and values as servers read them: `+` would be a space, so it is encoded, unlike in `URLComponents`.
enum QueryText {
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )

    static func make(_ items: [URLQueryItem]) -> String {
        items.map { "\(encoded($0.name))=\(encoded($0.value ?? ""))" }.joined(separator: "&")
    }

    /// One name, value or segment of a path.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
