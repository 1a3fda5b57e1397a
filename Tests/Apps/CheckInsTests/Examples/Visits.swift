import Swiftlet

// What docs/jobs.md shows, so that it compiles and runs. A test looks that the page has the same.

/// Appointments, of which the customer is reminded an hour before.
let visits = Function("visits") {
    resource.routes()
    remindOfVisit
}

private let resource = Resource("visits", scope: .tenant) {
    Required("customer_id")
    Required("starts_at")
    After(.create, .update, run: planReminder)
}

private struct Reminder: Codable, Sendable {
    let visit: String
}

/// Takes the place of the reminder that waits: a visit that is moved has one all the same.
private func planReminder(_ visit: ResourceRow, _ context: Context) async throws {
    guard let start = visit["starts_at"]?.string else { return }
    try await context.enqueue(
        remindOfVisit,
        Reminder(visit: visit.key),
        at: .sql("\(start)::timestamptz - interval '1 hour'"),
        key: "visit:\(visit.key)",
        replacing: true
    )
}

private let remindOfVisit = Job("remind-of-visit") { (reminder: Reminder, context: Context) in
    let devices = try await context.database.query(
        """
        SELECT visit.place, device.token, device.platform, device.environment, device.app,
            extract(epoch FROM device.registered_at)::bigint AS registered
        FROM visits AS visit JOIN push_tokens AS device ON device.user_id = visit.customer_id
        WHERE visit.tenant_id = \(context.tenant) AND visit.id = \(reminder.visit)::uuid
            AND clock_timestamp() BETWEEN visit.starts_at - interval '1 hour' AND visit.starts_at
        """
    )
    // None if the visit was deleted, or is over by now.
    for device in devices {
        let message = PushMessage(
            id: reminder.visit,
            title: "We come within the hour",
            body: try device.decode(String.self, "place")
        )
        let target = PushTarget(
            token: try device.decode(String.self, "token"),
            platform: try device.decode(String.self, "platform"),
            environment: try device.decode(String.self, "environment"),
            app: try device.decode(String.self, "app"),
            registered: try device.decode(Int.self, "registered")
        )
        // The service knows the message by its id, if a second attempt repeats it.
        if case .later(let reason) = try await context.push.send(message, to: target) {
            throw APIError(.serviceUnavailable, "PUSH_DELAYED", reason)
        }
    }
}
