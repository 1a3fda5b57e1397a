public import Swiftlet

/// Deals, from the first talk to the signature.
public let opportunities = Function("opportunities") {
    dealResource.routes(.list, .get, .update, .delete)
    Post("/", open).taking(dealResource.inputSchema).answering(.created, dealResource.rowSchema)
        .refusing(.notFound, .conflict, .unprocessableContent)
    Patch("/:id/stage", changeStage)
        .taking(.object(["stage": .text.optional, "sales_stage": .text.optional, "stage_name": .text.optional]))
        .answering(dealResource.rowSchema).refusing(.conflict, .unprocessableContent)
}

let dealResource = Resource("deals", scope: .tenant) {
    Filter("stage", on: "name", of: "deal_stages", by: "stage_id")
    Filter("sales_stage", on: "name", of: "deal_stages", by: "stage_id")
    Filter("stage_id")
    Filter("status")
    Filter("customer_id")
    Filter("owner_id")
    FilterByCaller("my", on: "owner_id")
    Search("title", "company_name", "primary_contact_name")
    Alias("amount", as: "estimated_amount")
    Alias("expected_close_date", as: "close_date")
    Computed(
        "sales_stage",
        from: "deal_stages",
        "max(lower(translate(o.name, ' -', '__')))",
        where: "o.id::text = t.stage_id::text",
        needs: "stage_id"
    )
    Enumerated("status", dealStatus)
    Input("sales_stage", "stage", "stage_name")
    AuthoredBy("created_by_id")
    Default("owner_id") { .string(try $0.user.id) }
    ReadOnly("actual_close_date")
    Before(.create, run: nameDeal)
    Before(.create, .update, run: moveDeal)
}

let dealStatus = Enumeration(
    "open",
    "won",
    "lost",
    "on_hold",
    synonyms: ["new": "open", "active": "open", "closed_won": "won", "closed_lost": "lost", "paused": "on_hold"]
)

/// The app knows a deal by its company alone.
private func nameDeal(_ change: inout Change, _ context: Context) throws {
    func isBlank(_ column: String) -> Bool {
        guard let value = change[column] else { return true }
        return value == .null || value.string?.allSatisfy(\.isWhitespace) == true
    }
    guard isBlank("title") else { return }
    guard !isBlank("company_name") else { throw change.refusal(of: "company_name", "is required") }
    if let name = change["company_name"]?.string { change["title"] = .string(String(name.prefix(200))) }
}

/// Opens a deal, in one transaction with the stage that it may make.
private func open(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { try await dealResource.create(request, in: $0).response(.created) }
}

/// Moves a deal to another stage.
private func changeStage(_ request: Request, _ context: Context) async throws -> Response {
    let body = try request.jsonObject()
    guard let stage = ["stage", "sales_stage", "stage_name"].lazy.compactMap({ body[$0] }).first else {
        throw APIError.validation(["stage": "is required"])
    }
    return try await dealResource.update(context.parameters["id"], ["stage": stage], in: context).response()
}
