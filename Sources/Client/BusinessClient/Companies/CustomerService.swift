public import SwiftletClient

/// Customers, and those who were.
public struct CustomerService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func customers(
        search: String? = nil,
        status: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<BusinessRecord> {
        try await client.requestPage(.customers(status: status, search: search, page: page, limit: limit))
    }

    /// Customers and leads together, or one kind of company.
    public func companies(
        type: RecordType? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<BusinessRecord> {
        try await client.requestPage(.businessRecords(type: type, search: search, page: page, limit: limit))
    }

    /// By its id, or by its customer number.
    public func customer(_ id: String) async throws -> BusinessRecord { try await client.request(.customer(id)) }

    public func company(_ id: String) async throws -> BusinessRecord { try await client.request(.businessRecord(id)) }

    @discardableResult
    public func createCustomer(_ customer: NewCompany) async throws -> BusinessRecord {
        try await client.request(.createCustomer(customer))
    }

    @discardableResult
    public func updateCustomer(
        _ id: String,
        _ changes: CompanyChanges,
        clearing: [String] = []
    ) async throws -> BusinessRecord {
        try await client.request(.updateCustomer(id, changes, clearing: clearing))
    }

    public func deleteCustomer(_ id: String) async throws { try await client.requestVoid(.deleteCustomer(id)) }
}
