import Swiftlet

/// The words that end the work, in the vocabularies of all builds of the app.
private let finished: Set<String> = ["resolved", "closed", "completed", "cancelled"]

/// What is known of the end of the work follows the status.
func stampTicket(_ change: inout Change, _ ticket: JSONObject, _ context: Context) throws {
    guard let status = change["status"]?.string?.lowercased() else { return }
    guard finished.contains(status) else {
        for column in ["resolved_at", "resolved_by", "closed_at"] { change[column] = .null }
        return
    }
    if status != "cancelled", ticket["resolved_at"] ?? .null == .null {
        change.setNow("resolved_at")
        change["resolved_by"] = .string(try context.user.id)
    }
    if status == "closed", ticket["closed_at"] ?? .null == .null { change.setNow("closed_at") }
}

func beginTicketHistory(_ ticket: ResourceRow, _ context: Context) async throws {
    let line: JSONObject = ["type": "status_change", "new_value": ticket["status"] ?? "open", "notes": "Created"]
    try await ticketUpdates.create(line, in: context, parent: ticket)
}

/// What becomes a line of the ticket's history when it changes.
private let recorded: [(column: String, type: JSONValue)] = [
    ("status", "status_change"), ("priority", "escalation"), ("assigned_technician_id", "assignment"),
]

/// The ticket is locked, so that each line goes on where the one before has ended.
func recordTicketChanges(_ change: inout Change, _ ticket: JSONObject, _ context: Context) async throws {
    guard let id = ticket["id"]?.string else { return }
    for (column, type) in recorded {
        let old = ticket[column] ?? .null
        // A value of another type is refused by its column.
        guard let new = change[column], new != old, new == .null || new.string?.utf8.contains(0) == false else {
            continue
        }
        var line: JSONObject = ["type": type, "old_value": old, "new_value": new]
        if column == "status", let notes = change["resolution_notes"], notes.string?.utf8.contains(0) == false {
            line["notes"] = notes
        }
        try await ticketUpdates.create(line, in: context, parentKey: id)
    }
}
