public import SwiftletClient

extension APIEndpoint {
    public static func contracts(
        status: ContractStatus? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("status", status?.rawValue)
        query.add("customerId", customer)
        query.add("search", search)
        return APIEndpoint(.get, path("contracts"), query: query.items)
    }

    public static func contract(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("contracts", id)) }

    public static func createContract(_ contract: NewContract) -> APIEndpoint { create(path("contracts"), contract) }

    public static func updateContract(
        _ id: String,
        _ changes: ContractChanges,
        clearing: [String] = []
    ) -> APIEndpoint {
        update(.patch, path("contracts", id), changes, clearing: clearing, repetition: .keyed)
    }

    public static func deleteContract(_ id: String) -> APIEndpoint { delete(path("contracts", id)) }

    /// Those that end within so many days.
    public static func upcomingRenewals(days: Int = 90) -> APIEndpoint {
        var query = Query()
        query.add("days", days)
        return APIEndpoint(.get, path("contract-renewal", "upcoming"), query: query.items)
    }

    /// Asked twice, it gives the same new contract.
    public static func renewContract(_ id: String) -> APIEndpoint {
        APIEndpoint(.post, path("contract-renewal", id, "renew"), repetition: .safe)
    }
}

/// What customers pay for month by month, and how it goes on.
public struct ContractService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func contracts(
        status: ContractStatus? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<Contract> {
        try await client.requestPage(
            .contracts(status: status, customer: customer, search: search, page: page, limit: limit)
        )
    }

    public func contract(_ id: String) async throws -> Contract { try await client.request(.contract(id)) }

    @discardableResult
    public func createContract(_ contract: NewContract) async throws -> Contract {
        try await client.request(.createContract(contract))
    }

    @discardableResult
    public func updateContract(
        _ id: String,
        _ changes: ContractChanges,
        clearing: [String] = []
    ) async throws -> Contract {
        try await client.request(.updateContract(id, changes, clearing: clearing))
    }

    public func deleteContract(_ id: String) async throws { try await client.requestVoid(.deleteContract(id)) }

    /// The next one first.
    public func upcomingRenewals(days: Int = 90) async throws -> [ContractRenewal] {
        try await client.requestArray(.upcomingRenewals(days: days))
    }

    /// The contract that begins when this one ends.
    @discardableResult
    public func renewContract(_ id: String) async throws -> Contract { try await client.request(.renewContract(id)) }
}
