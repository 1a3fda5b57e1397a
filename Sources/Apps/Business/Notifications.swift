public import Swiftlet

/// Notifications of the signed-in user, who only sees their own.
public let notifications = Function("notifications") {
    resource.routes(.list, .get, .delete)
    Patch("/read-all", markAllRead).answering(allRead)
    Post("/mark-all-read", markAllRead).answering(allRead)
    Patch("/:id/read", markRead).answering(resource.rowSchema)
    Post("/:id/mark-read", markRead).answering(resource.rowSchema)
}

private let allRead = JSONSchema.object(["success": .flag, "message": .text])

private let resource = Resource("user_notifications", scope: .owner("user_id")) {
    Filter("isRead", on: "read")
    Filter("type")
    Rename("read", to: "is_read")
    // Where the table lacks these columns, they are in `metadata`.
    Computed("entity_type", "t.metadata->>'entity_type'", needs: "metadata")
    Computed("entity_id", "t.metadata->>'entity_id'", needs: "metadata")
    Count("unread", where: "NOT t.read", needs: "read")
    Before(.update) { change, _ in change.setNow("read_at") }
}

/// Marks a notification as read.
private func markRead(_ request: Request, _ context: Context) async throws -> Response {
    try await resource.update(context.parameters["id"], ["is_read": true], in: context).response()
}

/// Marks all notifications of the caller as read.
private func markAllRead(_ request: Request, _ context: Context) async throws -> Response {
    try await resource.updateAll(where: "read", is: false, ["is_read": true], in: context)
    return .json(["success": true, "message": "All notifications are marked as read"])
}
