public import Swiftlet

/// What a customer is asked to sign.
public let proposals = Function("proposals") {
    proposalResource.routes(.list, .get, .update, .delete)
    post("/", propose).taking(proposalResource.inputShape).answering(.created, proposalResource.rowShape)
        .refusing(.notFound, .conflict, .unprocessableContent)
    patch("/:id/status", changeProposalStatus).taking(.object(["status": .text]))
        .answering(proposalResource.rowShape).refusing(.conflict, .unprocessableContent)
    post("/:id/send", sendProposal).answering(proposalResource.rowShape).refusing(.conflict, .unprocessableContent)
    get("/:id/pdf", proposalPDF).answering(mediaType: "application/pdf").refusing(.unprocessableContent)
    get("/:id/export/pdf", proposalPDF).answering(mediaType: "application/pdf").refusing(.unprocessableContent)
}

let proposalResource = Resource("proposals", scope: .tenant) {
    filter("status")
    filter("customer_id", on: "business_record_id")
    filter("template_id")
    filterByCaller("my", on: "assigned_to")
    search("title", "proposal_number")
    alias("business_record_id", as: "customer_id")
    alias("sent_at", as: "sent_date")
    alias("accepted_at", as: "accepted_date")
    alias("internal_notes", as: "notes")
    alias("terms_and_conditions", as: "terms")
    joined("customer_name", from: "business_records", column: "company_name", by: "business_record_id")
    joined("contact_name", from: "company_contacts", columns: "first_name", "last_name", by: "contact_id")
    joined("contact_email", from: "company_contacts", column: "email", by: "contact_id")
    enumeration("status", offerStatus)
    required("title")
    numbered("proposal_number", "P-")
    defaultValue("assigned_to") { .string(try $0.user.id) }
    input("is_sent", "is_viewed")
    readOnly(
        "sent_at",
        "viewed_at",
        "accepted_at",
        "rejected_at",
        "open_count",
        "last_opened_at",
        "deal_id",
        "contract_id"
    )
    lines(
        "line_items",
        "lineItems",
        in: "proposal_line_items",
        by: "proposal_id",
        .sum(of: "total_price", in: "total_amount")
    ) {
        readOnly("total_price")
        pricedLine("total_price")
    }
    before(.create, .update, run: startTotal)
    before(.create, .update, run: moveProposal)
}

/// In one transaction with what becomes of it.
private func propose(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { try await proposalResource.create(request, $0).response(.created) }
}

private func changeProposalStatus(_ request: Request, _ context: Context) async throws -> Response {
    guard let status = try request.jsonObject()["status"] else { throw APIError.validation(["status": "is required"]) }
    let isViewed = status.string?.lowercased() == "viewed"
    let values: JSONObject = isViewed ? ["is_viewed": true] : ["status": status]
    return try await proposalResource.update(context.parameters["id"], values, context).response()
}

/// Sends it; one that was sent or accepted stays what it is.
private func sendProposal(_ request: Request, _ context: Context) async throws -> Response {
    try await proposalResource.update(context.parameters["id"], ["is_sent": true], context).response()
}
