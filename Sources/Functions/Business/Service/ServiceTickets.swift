public import Swiftlet

/// Calls for help, and what happened to each of them.
public let serviceTickets = Function("service-tickets") {
    ticketResource.routes(.list, .get, .update)
    post("/", openTicket).taking(ticketResource.inputShape).answering(.created, ticketResource.rowShape)
        .refusing(.notFound, .conflict, .unprocessableContent)
    delete("/:id", deleteTicket).answering(.success).refusing(.conflict)
    get("/stats", ticketStatistics).taking(query: ["my": .flag]).answering(ticketStatisticsShape)
    get("/vocabulary", ticketVocabulary).answering(ticketVocabularyShape)
    get("/dispatch-load", dispatchLoad).answering(dispatchLoadShape)
    ticketUpdates.routes(.list, .create, at: "/:id/updates")
    ticketAttachments.routes(.list, at: "/:id/attachments")
    post("/:id/attachments", attachFiles).streamingBody(upTo: 1 << 30).taking(mediaType: "multipart/form-data")
        .answering(
            .created,
            .either(
                ticketAttachments.rowShape,
                .object(["data": .list(ticketAttachments.rowShape), "total": .integer])
            )
        )
        .refusing(.conflict, .unprocessableContent)
    get("/:id/attachments/:attachment", downloadAttachment)
        .answering(mediaType: "*/*").answering(206, mediaType: "*/*").refusing(416)
    delete("/:id/attachments/:attachment", deleteAttachment).answering(.success)
}

let ticketResource = Resource("service_tickets", scope: .tenant) {
    filter("status")
    filter("priority")
    filter("category")
    filter("assigned_to", on: "assigned_technician_id")
    filter("technician_id", on: "assigned_technician_id")
    filter("assigned_technician_id")
    filter("customer_id")
    filter("equipment_id")
    filterByCaller("my", on: "assigned_technician_id")
    filterByView("view", on: "assigned_technician_id")
    range("scheduled", on: "scheduled_date")
    search("ticket_number", "title", "description")
    alias("resolution_notes", as: "resolution")
    alias("customer_address", as: "site_address")
    joined("customer_name", from: "business_records", column: "company_name", by: "customer_id")
    joined("equipment_name", from: "equipment", columns: "manufacturer", "model_number", by: "equipment_id")
    joined("serial_number", from: "equipment", column: "serial_number", by: "equipment_id")
    joined("model_number", from: "equipment", column: "model_number", by: "equipment_id")
    joined(
        "assigned_technician_name",
        from: "users",
        columns: "first_name",
        "last_name",
        by: "assigned_technician_id"
    )
    required("title")
    numbered("ticket_number", "TKT-")
    readOnly("resolved_at", "resolved_by", "closed_at", "first_response_at")
    before(.create, .update, run: stampTicket)
    before(.update, run: recordTicketChanges)
    after(.create, run: beginTicketHistory)
}

let ticketUpdates = Resource("service_ticket_updates", scope: .tenant) {
    parent(ticketResource, by: "ticket_id")
    author("updated_by")
    alias("update_type", as: "type")
    alias("notes", as: "content")
    alias("updated_by", as: "user_id")
    joined("user_name", from: "users", columns: "first_name", "last_name", by: "updated_by")
    order("-created_at", "-id")
}

/// In one transaction with the first line of its history.
private func openTicket(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { try await ticketResource.create(request, $0).response(.created) }
}
