public import Foundation
public import SwiftletClient

/// Calls for help, their history and their files.
public struct ServiceTicketService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func tickets(
        my: Bool = false,
        status: TicketStatus? = nil,
        priority: TicketPriority? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<ServiceTicket> {
        try await client.requestPage(
            .serviceTickets(
                my: my,
                status: status,
                priority: priority,
                customer: customer,
                search: search,
                page: page,
                limit: limit
            )
        )
    }

    public func ticket(_ id: String) async throws -> ServiceTicket { try await client.request(.serviceTicket(id)) }

    @discardableResult
    public func createTicket(_ ticket: NewTicket) async throws -> ServiceTicket {
        try await client.request(.createTicket(ticket))
    }

    /// `clearing: ["assigned_technician_id"]` takes it from its technician.
    @discardableResult
    public func updateTicket(
        _ id: String,
        _ changes: TicketChanges,
        clearing: [String] = []
    ) async throws -> ServiceTicket {
        try await client.request(.updateTicket(id, changes, clearing: clearing))
    }

    @discardableResult
    public func resolveTicket(_ id: String, resolution: String) async throws -> ServiceTicket {
        try await updateTicket(id, TicketChanges(status: .resolved, resolution: resolution))
    }

    public func deleteTicket(_ id: String) async throws { try await client.requestVoid(.deleteTicket(id)) }

    /// The newest first.
    public func updates(_ ticket: String) async throws -> [TicketUpdate] {
        try await client.requestArray(.ticketUpdates(ticket))
    }

    @discardableResult
    public func addUpdate(_ ticket: String, _ content: String, type: String = "note") async throws -> TicketUpdate {
        try await client.request(.addTicketUpdate(ticket, content, type: type))
    }

    public func stats(my: Bool = false) async throws -> TicketStats { try await client.request(.ticketStats(my: my)) }

    public func vocabulary() async throws -> TicketVocabulary { try await client.request(.ticketVocabulary) }

    public func dispatchLoad() async throws -> [DispatchLoad] { try await client.requestArray(.dispatchLoad) }

    public func attachments(_ ticket: String) async throws -> [TicketAttachment] {
        try await client.requestArray(.ticketAttachments(ticket))
    }

    @discardableResult
    public func attach(
        _ file: Data,
        name: String,
        contentType: String,
        to ticket: String
    ) async throws -> TicketAttachment {
        try await client.request(.attachFile(ticket, file, name: name, contentType: contentType))
    }

    public func download(_ attachment: String, of ticket: String) async throws -> Data {
        try await client.requestData(.ticketAttachment(ticket, attachment))
    }

    public func deleteAttachment(_ attachment: String, of ticket: String) async throws {
        try await client.requestVoid(.deleteAttachment(ticket, attachment))
    }
}
