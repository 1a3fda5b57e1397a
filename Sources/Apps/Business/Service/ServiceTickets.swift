public import Swiftlet

/// Calls for help, and what happened to each of them.
public let serviceTickets = Function("service-tickets") {
    ticketResource.routes(.list, .get, .update)
    Post("/", openTicket).taking(ticketResource.inputSchema).answering(.created, ticketResource.rowSchema)
        .refusing(.notFound, .conflict, .unprocessableContent)
    Delete("/:id", deleteTicket).answering(.success).refusing(.conflict)
    Get("/stats", ticketStatistics).taking(query: ["my": .flag, "tz": .text]).answering(ticketStatisticsSchema)
    Get("/vocabulary", ticketVocabulary).answering(ticketVocabularySchema)
    Get("/dispatch-load", dispatchLoad).taking(query: ["tz": .text]).answering(dispatchLoadSchema)
    postedUpdates.routes(.list, .create, at: "/:id/updates")
    ticketAttachments.routes(.list, at: "/:id/attachments")
    Post("/:id/attachments", attachFiles).streamingBody(upTo: 1 << 30).taking(mediaType: "multipart/form-data")
        .answering(
            .created,
            .either(
                ticketAttachments.rowSchema,
                .object(["data": .list(ticketAttachments.rowSchema), "total": .integer])
            )
        )
        .refusing(.conflict, .unprocessableContent)
    Get("/:id/attachments/:attachment", downloadAttachment)
        .answering(mediaType: "*/*").answering(206, mediaType: "*/*").refusing(416)
    Delete("/:id/attachments/:attachment", deleteAttachment).answering(.success)
}

let ticketResource = Resource("service_tickets", scope: .tenant) {
    Filter("status")
    Filter("priority")
    Filter("category")
    Filter("assigned_to", on: "assigned_technician_id")
    Filter("technician_id", on: "assigned_technician_id")
    Filter("assigned_technician_id")
    Filter("customer_id")
    Filter("equipment_id")
    FilterByCaller("my", on: "assigned_technician_id")
    FilterByView("view", on: "assigned_technician_id")
    RangeFilter("scheduled", on: "scheduled_date")
    Search("ticket_number", "title", "description")
    Alias("resolution_notes", as: "resolution")
    Alias("customer_address", as: "site_address")
    Joined("customer_name", from: "business_records", column: "company_name", by: "customer_id")
    Joined("equipment_name", from: "equipment", columns: "manufacturer", "model_number", by: "equipment_id")
    Joined("serial_number", from: "equipment", column: "serial_number", by: "equipment_id")
    Joined("model_number", from: "equipment", column: "model_number", by: "equipment_id")
    Joined(
        "assigned_technician_name",
        from: "users",
        columns: "first_name",
        "last_name",
        by: "assigned_technician_id"
    )
    Required("title")
    Numbered("ticket_number", "TKT-")
    ReadOnly("resolved_at", "resolved_by", "closed_at", "first_response_at")
    Before(.create, .update, run: stampTicket)
    Before(.update, run: recordTicketChanges)
    After(.create, run: beginTicketHistory)
}

/// What the server writes of a ticket's changes may be without words.
let ticketUpdates = Resource("service_ticket_updates", scope: .tenant) { updateRules() }

private let postedUpdates = Resource("service_ticket_updates", scope: .tenant) {
    updateRules()
    Required("notes")
}

@ResourceBuilder
private func updateRules() -> [ResourceRule] {
    ChildOf(ticketResource, by: "ticket_id")
    AuthoredBy("updated_by")
    Alias("update_type", as: "type")
    Alias("notes", as: "content")
    Alias("updated_by", as: "user_id")
    Joined("user_name", from: "users", columns: "first_name", "last_name", by: "updated_by")
    DefaultOrder("-created_at", "-id")
}

/// Opens a ticket, in one transaction with the first line of its history.
private func openTicket(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { try await ticketResource.create(request, in: $0).response(.created) }
}
