public import SwiftletClient

extension APIEndpoint {
    public static func quotes(
        status: OfferStatus? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("status", status?.rawValue)
        query.add("customerId", customer)
        query.add("search", search)
        return APIEndpoint(.get, path("quotes"), query: query.items)
    }

    public static func quote(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("quotes", id)) }

    public static func createQuote(_ quote: NewQuote) -> APIEndpoint { create(path("quotes"), quote) }

    public static func updateQuote(_ id: String, _ changes: QuoteChanges, clearing: [String] = []) -> APIEndpoint {
        update(.put, path("quotes", id), changes, clearing: clearing)
    }

    public static func deleteQuote(_ id: String) -> APIEndpoint { delete(path("quotes", id)) }
}

/// What leads and customers are offered, line by line.
public struct QuoteService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func quotes(
        status: OfferStatus? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<Quote> {
        try await client.requestPage(
            .quotes(status: status, customer: customer, search: search, page: page, limit: limit)
        )
    }

    public func quote(_ id: String) async throws -> Quote { try await client.request(.quote(id)) }

    @discardableResult
    public func createQuote(_ quote: NewQuote) async throws -> Quote { try await client.request(.createQuote(quote)) }

    @discardableResult
    public func updateQuote(
        _ id: String,
        _ changes: QuoteChanges,
        clearing: [String] = []
    ) async throws -> Quote {
        try await client.request(.updateQuote(id, changes, clearing: clearing))
    }

    public func deleteQuote(_ id: String) async throws { try await client.requestVoid(.deleteQuote(id)) }
}
