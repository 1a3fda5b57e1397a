public import Swiftlet

/// Notifications of the signed-in user, who only sees their own.
public let notifications = Function("notifications") {
    resource.routes(.list, .get, .delete)
    patch("/read-all", markAllRead).answering(allRead)
    post("/mark-all-read", markAllRead).answering(allRead)
    patch("/:id/read", markRead).answering(resource.rowShape)
    post("/:id/mark-read", markRead).answering(resource.rowShape)
}

private let allRead = ValueShape.object(["success": .flag, "message": .text])

private let resource = Resource("user_notifications", scope: .owner("user_id")) {
    filter("isRead", on: "read")
    filter("type")
    rename("read", to: "is_read")
    // Where the table lacks these columns, they are in `metadata`.
    computed("entity_type", "t.metadata->>'entity_type'", needs: "metadata")
    computed("entity_id", "t.metadata->>'entity_id'", needs: "metadata")
    count("unread", where: "NOT t.read", needs: "read")
    before(.update) { change, _ in change.setNow("read_at") }
}

private func markRead(_ request: Request, _ context: Context) async throws -> Response {
    try await resource.update(context.parameters["id"], ["is_read": true], context).response()
}

private func markAllRead(_ request: Request, _ context: Context) async throws -> Response {
    try await resource.updateAll(where: "read", is: false, ["is_read": true], context)
    return .json(["success": true, "message": "All notifications are marked as read"])
}
