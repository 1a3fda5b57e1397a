public import Swiftlet

/// Calls, mails, meetings and notes, of all companies together.
public let activities = Function("activities") {
    resource.routes()
    Get("/recent", recent).taking(query: ["page": .integer, "limit": .integer, "sort": .text, "search": .text])
        .listing(resource).answering(.list(resource.rowSchema))
    Patch("/:id/complete", complete).taking(resource.changeSchema.optional).answering(resource.rowSchema)
        .refusing(.conflict, .unprocessableContent)
    Post("/:id/complete", complete).taking(resource.changeSchema.optional).answering(resource.rowSchema)
        .refusing(.conflict, .unprocessableContent)
}

private let resource = Resource("business_record_activities", scope: .tenant) {
    Filter("business_record_id")
    Filter("company_id", on: "business_record_id")
    Filter("created_by")
    RangeFilter("scheduled", on: "scheduled_date")
    Alias("business_record_id", as: "entity_id")
    activityRules()
    Computed("entity_type", "'business_record'::text")
    Joined("company_name", from: "business_records", column: "company_name", by: "business_record_id")
}

/// What the builds of the app call the same thing.
@ResourceBuilder
func activityRules() -> [ResourceRule] {
    Filter("activity_type")
    Filter("type", on: "activity_type")
    Search("subject", "description")
    Alias("activity_type", as: "type")
    Alias("subject", as: "title")
    Alias("description", as: "notes")
    Alias("created_by", as: "user_id")
    Joined("user_name", from: "users", columns: "first_name", "last_name", by: "created_by")
    Computed(
        "activity_date",
        "coalesce(t.completed_date, t.scheduled_date)",
        needs: "completed_date",
        "scheduled_date"
    )
    Input("activity_date", "is_completed")
    Before(.create, .update) { change, _ in
        change.move("activity_date", to: "completed_date")
        if change["is_completed"] == true { change.setNow("completed_date") }
        try requireText("activity_type", "ACTIVITY_TYPE_REQUIRED", "type", of: change)
        try requireText("subject", "ACTIVITY_SUBJECT_REQUIRED", "subject", of: change)
    }
}

/// A code of its own for each, as apps tell them apart.
private func requireText(_ column: String, _ code: APIError.Code, _ name: String, of change: Change) throws {
    guard change.action == .create || change.contains(column) else { return }
    let text = change[column]?.string ?? ""
    guard text.allSatisfy(\.isWhitespace) else { return }
    throw APIError(.badRequest, code, "An activity needs a \(name)", details: [name: "is required"])
}

/// Lists the activities. The same as the list, for an app that expects no more than the rows.
private func recent(_ request: Request, _ context: Context) async throws -> Response {
    let page = try await resource.list(request, in: context)
    return .json { json in
        json.array { json in
            for row in page { json.write(row) }
        }
    }
}

/// Marks an activity as done now, with what the body says of it.
private func complete(_ request: Request, _ context: Context) async throws -> Response {
    var values = try request.jsonObject(allowsEmpty: true)
    values["is_completed"] = true
    return try await resource.update(context.parameters["id"], values, in: context).response()
}
