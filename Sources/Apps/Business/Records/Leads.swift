public import Swiftlet

/// Leads and prospects. Their activities can be logged for any company, as the app does.
public let leads = Function("leads") {
    leadResource.routes(.list, .create)
    recordResource.routes(.get, .update, .delete)
    recordActivities.routes(.list, .create, at: "/:id/activities")
    Post("/:id/convert", convert).answering(recordResource.rowSchema).refusing(.conflict, .unprocessableContent)
}

private let leadResource = Resource("business_records", scope: .tenant) {
    recordRules()
    Only("record_type", "lead", "prospect")
}

/// Makes a customer of a lead; of one who is a customer already, it changes nothing.
private func convert(_ request: Request, _ context: Context) async throws -> Response {
    try await recordResource.update(context.parameters["id"], ["record_type": "customer"], in: context).response()
}
