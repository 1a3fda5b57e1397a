public import SwiftletClient

/// Leads and prospects, and what was done with them.
public struct LeadService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func leads(
        search: String? = nil,
        status: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<BusinessRecord> {
        try await client.requestPage(.leads(status: status, search: search, page: page, limit: limit))
    }

    public func lead(_ id: String) async throws -> BusinessRecord { try await client.request(.lead(id)) }

    @discardableResult
    public func createLead(_ lead: NewCompany) async throws -> BusinessRecord {
        try await client.request(.createLead(lead))
    }

    @discardableResult
    public func updateLead(
        _ id: String,
        _ changes: CompanyChanges,
        clearing: [String] = []
    ) async throws -> BusinessRecord {
        try await client.request(.updateLead(id, changes, clearing: clearing))
    }

    public func deleteLead(_ id: String) async throws { try await client.requestVoid(.deleteLead(id)) }

    /// Makes it a customer.
    @discardableResult
    public func convertLead(_ id: String) async throws -> BusinessRecord { try await client.request(.convertLead(id)) }

    /// Of a company of any kind, the newest first.
    public func activities(_ company: String, page: Int = 1, limit: Int = 25) async throws -> Page<LeadActivity> {
        try await client.requestPage(.companyActivities(company, page: page, limit: limit))
    }

    @discardableResult
    public func addActivity(_ company: String, _ activity: NewActivity) async throws -> LeadActivity {
        try await client.request(.addCompanyActivity(company, activity))
    }
}
