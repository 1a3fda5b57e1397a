public import Swiftlet

/// What a customer is asked to sign.
public let proposals = Function("proposals") {
    proposalResource.routes(.list, .get, .update, .delete)
    Post("/", propose).taking(proposalResource.inputSchema).answering(.created, proposalResource.rowSchema)
        .refusing(.notFound, .conflict, .unprocessableContent)
    Patch("/:id/status", changeProposalStatus).taking(.object(["status": .text]))
        .answering(proposalResource.rowSchema).refusing(.conflict, .unprocessableContent)
    Post("/:id/send", sendProposal).answering(proposalResource.rowSchema).refusing(.conflict, .unprocessableContent)
    Get("/:id/pdf", proposalPDF).answering(mediaType: "application/pdf").refusing(.unprocessableContent)
    Get("/:id/export/pdf", proposalPDF).answering(mediaType: "application/pdf").refusing(.unprocessableContent)
}

let proposalResource = Resource("proposals", scope: .tenant) {
    Filter("status")
    Filter("customer_id", on: "business_record_id")
    Filter("template_id")
    FilterByCaller("my", on: "assigned_to")
    Search("title", "proposal_number")
    Alias("business_record_id", as: "customer_id")
    Alias("sent_at", as: "sent_date")
    Alias("accepted_at", as: "accepted_date")
    Alias("internal_notes", as: "notes")
    Alias("terms_and_conditions", as: "terms")
    Joined("customer_name", from: "business_records", column: "company_name", by: "business_record_id")
    Joined("contact_name", from: "company_contacts", columns: "first_name", "last_name", by: "contact_id")
    Joined("contact_email", from: "company_contacts", column: "email", by: "contact_id")
    Enumerated("status", offerStatus)
    Required("title")
    Numbered("proposal_number", "P-")
    Default("assigned_to") { .string(try $0.user.id) }
    Input("is_sent", "is_viewed")
    ReadOnly(
        "sent_at",
        "viewed_at",
        "accepted_at",
        "rejected_at",
        "open_count",
        "last_opened_at",
        "deal_id",
        "contract_id"
    )
    Lines(
        "line_items",
        "lineItems",
        in: "proposal_line_items",
        by: "proposal_id",
        .sum(of: "total_price", in: "total_amount")
    ) {
        ReadOnly("total_price")
        pricedLine("total_price")
    }
    Before(.create, .update, run: checkContact)
    Before(.create, .update, run: startTotal)
    Before(.create, .update, run: moveProposal)
}

/// Who may not see a contact may not name it either: the proposal would tell its name and address.
private func checkContact(_ change: inout Change, _ context: Context) async throws {
    guard let contact = change["contact_id"]?.string, try context.user.roleLevel < 2 else { return }
    let user = try context.user.id
    let others = try await context.database.query(
        """
        SELECT 1 FROM company_contacts
        WHERE tenant_id = \(try context.tenant) AND id::text = \(contact) AND owner_id::text IS DISTINCT FROM \(user)
        """
    )
    guard others.isEmpty else { throw change.refusal(of: "contact_id", "refers to nothing") }
}

/// Creates a proposal, in one transaction with what becomes of it.
private func propose(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { try await proposalResource.create(request, in: $0).response(.created) }
}

/// Changes what became of a proposal.
private func changeProposalStatus(_ request: Request, _ context: Context) async throws -> Response {
    guard let status = try request.jsonObject()["status"] else { throw APIError.validation(["status": "is required"]) }
    let isViewed = status.string?.lowercased() == "viewed"
    let values: JSONObject = isViewed ? ["is_viewed": true] : ["status": status]
    return try await proposalResource.update(context.parameters["id"], values, in: context).response()
}

/// Sends a proposal; one that was sent or accepted stays what it is.
private func sendProposal(_ request: Request, _ context: Context) async throws -> Response {
    try await proposalResource.update(context.parameters["id"], ["is_sent": true], in: context).response()
}
