public import SwiftletClient

extension APIEndpoint {
    public static func invoices(
        status: InvoiceStatus? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("status", status?.rawValue)
        query.add("customerId", customer)
        query.add("search", search)
        return APIEndpoint(.get, path("invoices"), query: query.items)
    }

    /// With its lines.
    public static func invoice(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("invoices", id)) }

    public static func createInvoice(_ invoice: NewInvoice) -> APIEndpoint { create(path("invoices"), invoice) }

    public static func updateInvoice(_ id: String, _ changes: InvoiceChanges, clearing: [String] = []) -> APIEndpoint {
        update(.patch, path("invoices", id), changes, clearing: clearing, repetition: .keyed)
    }
}

/// What customers owe.
public struct InvoiceService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func invoices(
        status: InvoiceStatus? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<Invoice> {
        try await client.requestPage(
            .invoices(status: status, customer: customer, search: search, page: page, limit: limit)
        )
    }

    /// With its lines.
    public func invoice(_ id: String) async throws -> Invoice { try await client.request(.invoice(id)) }

    @discardableResult
    public func createInvoice(_ invoice: NewInvoice) async throws -> Invoice {
        try await client.request(.createInvoice(invoice))
    }

    @discardableResult
    public func updateInvoice(
        _ id: String,
        _ changes: InvoiceChanges,
        clearing: [String] = []
    ) async throws -> Invoice {
        try await client.request(.updateInvoice(id, changes, clearing: clearing))
    }

    /// Paid in full, today.
    @discardableResult
    public func markPaid(_ id: String) async throws -> Invoice {
        try await updateInvoice(id, InvoiceChanges(status: .paid))
    }
}
