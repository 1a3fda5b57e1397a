public import SwiftletClient

extension APIEndpoint {
    /// A text of at least two characters; at most 50 results.
    public static func search(_ text: String, limit: Int = 20) -> APIEndpoint {
        var query = Query()
        query.add("q", text)
        query.add("limit", limit)
        return APIEndpoint(.get, path("search"), query: query.items)
    }
}

/// Finds a text in everything that the app shows.
public struct SearchService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    /// A text of at least two characters; at most 50 results.
    public func search(_ text: String, limit: Int = 20) async throws -> SearchResults {
        try await client.request(.search(text, limit: limit))
    }
}
