import Swiftlet

struct ExpectedCheckIn: Codable, Sendable {
    /// Of the check-in before it.
    let number: Int
}

/// Prepares for the next check-in not coming: a reminder when it is due, and the responders after the grace.
func expectCheckIn(_ row: Row, _ context: Context) async throws {
    let expected = ExpectedCheckIn(number: try row.decode(Int.self, "number"))
    let due = try row.decode(String.self, "due")
    // A key is unique in a tenant, and belongs to one user here.
    let user = try context.person.rawValue
    try await context.enqueue(
        remindOfCheckIn,
        expected,
        at: .at(due),
        key: "check-in:\(user)",
        priority: .high,
        replacing: true
    )
    try await context.enqueue(
        raiseMissedCheckIn,
        expected,
        at: .sql("\(due)::timestamptz + \(grace(context))::double precision * interval '1 second'"),
        key: "check-in:\(user)",
        priority: .high,
        replacing: true
    )
}

private func grace(_ context: Context) -> Double { context[CheckInGrace.self] / .seconds(1) }

/// Tells the user that it is time.
let remindOfCheckIn = Job("remind-of-check-in") { (expected: ExpectedCheckIn, context: Context) in
    let missed = try await context.personalDatabase.query(
        """
        UPDATE check_ins SET reminded_at = clock_timestamp()
        WHERE user_id = \(context.person) AND number = \(expected.number) AND reminded_at IS NULL
            AND next_check_in <= clock_timestamp()
        RETURNING user_id
        """
    )
    guard !missed.isEmpty else { return }
    let user = try context.person.rawValue
    let message = NewMessage(recipient: user, title: "Time to check in", body: "Please say that you are well.")
    try await store(message, "reminder", context)
}
.inTransaction()

/// Tells the responders. It locks the check-in and completes in the same transaction: one that comes first wins, and
/// however often this runs, they are told once.
let raiseMissedCheckIn = Job("raise-missed-check-in") { (expected: ExpectedCheckIn, context: Context) in
    let missed = try await context.personalDatabase.query(
        """
        UPDATE check_ins SET alarmed_at = clock_timestamp()
        WHERE user_id = \(context.person) AND number = \(expected.number) AND alarmed_at IS NULL
            AND next_check_in <= clock_timestamp()
        RETURNING last_check_in::text AS last
        """
    )
    guard !missed.isEmpty else { return }
    try await tellResponders("A check-in was missed", "Please see whether everything is all right.", context)
}
.inTransaction()

/// Sends an alarm to everybody who has accepted to respond for the user.
func tellResponders(_ title: String, _ body: String, _ context: Context) async throws {
    let responders = try await context.personalDatabase.query(
        "SELECT responder_id FROM responders WHERE user_id = \(context.person) AND accepted_at IS NOT NULL"
    )
    let user = try context.person
    for responder in responders {
        var message = NewMessage(
            recipient: try responder.decode(String.self, "responder_id"),
            title: title,
            body: "\(try context.user.email ?? "Somebody who relies on you"): \(body)"
        )
        message.data = ["userId": user.rawValue]
        try await store(message, "alarm", context)
    }
}
