import SwiftletServer

/// What a team wants to be reminded of.
let reminders = Function("reminders") {
    resource.routes()
    remind
    Daily(at: "03:30", "forget-reminders", forget).acrossTenants()
}

private let resource = Resource("reminders", scope: .tenant) {
    Required("words")
    Required("due_at")
    ReadOnly("reminded_at")
    After(.create, .update, run: plan)
}

struct Reminder: Codable, Sendable {
    let id: String
}

/// One job waits for each reminder: a new time takes the place of the old one.
private func plan(_ row: ResourceRow, _ context: Context) async throws {
    guard let due = row["due_at"]?.string else { return }
    try await context.enqueue(
        remind,
        Reminder(id: row.key),
        at: .sql("\(due)::timestamptz"),
        key: "reminder:\(row.key)",
        replacing: true
    )
}

/// In one transaction with its completion: nobody is reminded twice.
private let remind = Job("remind") { (reminder: Reminder, context: Context) in
    _ = try await context.database.query(
        """
        UPDATE reminders SET reminded_at = now()
        WHERE tenant_id = \(context.tenant) AND id = \(reminder.id)::uuid AND reminded_at IS NULL
        """
    )
}
.inTransaction()

@Sendable private func forget(_ context: Context) async throws {
    _ = try await context.databaseAcrossTenants.query(
        "DELETE FROM reminders WHERE reminded_at < now() - interval '30 days'"
    )
}
