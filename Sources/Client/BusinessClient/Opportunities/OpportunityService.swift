public import SwiftletClient

extension APIEndpoint {
    public static func opportunities(
        stage: SalesStage? = nil,
        my: Bool = false,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("stage", stage?.rawValue)
        query.add("my", my)
        query.add("search", search)
        return APIEndpoint(.get, path("opportunities"), query: query.items)
    }

    public static func opportunity(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("opportunities", id)) }

    public static func createOpportunity(_ opportunity: NewOpportunity) -> APIEndpoint {
        create(path("opportunities"), opportunity)
    }

    public static func updateOpportunity(
        _ id: String,
        _ changes: OpportunityChanges,
        clearing: [String] = []
    ) -> APIEndpoint {
        update(.put, path("opportunities", id), changes, clearing: clearing)
    }

    public static func moveOpportunity(_ id: String, to stage: SalesStage) -> APIEndpoint {
        APIEndpoint(.patch, path("opportunities", id, "stage"), body: .json(["stage": stage]), repetition: .keyed)
    }

    public static func deleteOpportunity(_ id: String) -> APIEndpoint { delete(path("opportunities", id)) }
}

/// Deals, from the first talk to the signature.
public struct OpportunityService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func opportunities(
        stage: SalesStage? = nil,
        my: Bool = false,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<Opportunity> {
        try await client.requestPage(.opportunities(stage: stage, my: my, search: search, page: page, limit: limit))
    }

    public func opportunity(_ id: String) async throws -> Opportunity { try await client.request(.opportunity(id)) }

    @discardableResult
    public func createOpportunity(_ opportunity: NewOpportunity) async throws -> Opportunity {
        try await client.request(.createOpportunity(opportunity))
    }

    @discardableResult
    public func updateOpportunity(
        _ id: String,
        _ changes: OpportunityChanges,
        clearing: [String] = []
    ) async throws -> Opportunity {
        try await client.request(.updateOpportunity(id, changes, clearing: clearing))
    }

    /// Its status, probability and closing date follow.
    @discardableResult
    public func moveOpportunity(_ id: String, to stage: SalesStage) async throws -> Opportunity {
        try await client.request(.moveOpportunity(id, to: stage))
    }

    public func deleteOpportunity(_ id: String) async throws { try await client.requestVoid(.deleteOpportunity(id)) }
}
