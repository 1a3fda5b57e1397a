public import SwiftletClient

extension APIEndpoint {
    public static func contacts(
        company: String? = nil,
        my: Bool = false,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("companyId", company)
        query.add("my", my)
        query.add("search", search)
        return APIEndpoint(.get, path("contacts"), query: query.items)
    }

    public static func contact(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("contacts", id)) }

    public static func createContact(_ contact: ContactFields) -> APIEndpoint { create(path("contacts"), contact) }

    public static func updateContact(_ id: String, _ changes: ContactFields, clearing: [String] = []) -> APIEndpoint {
        update(.patch, path("contacts", id), changes, clearing: clearing, repetition: .keyed)
    }

    public static func deleteContact(_ id: String) -> APIEndpoint { delete(path("contacts", id)) }
}

/// People at companies.
public struct ContactService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func contacts(
        company: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<Contact> {
        try await client.requestPage(.contacts(company: company, search: search, page: page, limit: limit))
    }

    public func contact(_ id: String) async throws -> Contact { try await client.request(.contact(id)) }

    @discardableResult
    public func createContact(_ contact: ContactFields) async throws -> Contact {
        try await client.request(.createContact(contact))
    }

    @discardableResult
    public func updateContact(
        _ id: String,
        _ changes: ContactFields,
        clearing: [String] = []
    ) async throws -> Contact {
        try await client.request(.updateContact(id, changes, clearing: clearing))
    }

    public func deleteContact(_ id: String) async throws { try await client.requestVoid(.deleteContact(id)) }
}
