public import Swiftlet

/// Calls for help: the responders are told at once.
public let triggerAlert = Function("trigger-alert") {
    Post { _, context in
        try await context.transaction { context in
            let rows = try await context.personalDatabase.query(
                """
                INSERT INTO alerts (user_id) VALUES (\(context.person))
                ON CONFLICT (user_id) WHERE ended_at IS NULL DO NOTHING
                RETURNING id::text AS id, activated_at
                """
            )
            guard let row = rows.first else {
                let active = try await activeAlert(context)?.decode(String.self, "id")
                throw APIError(
                    .conflict,
                    "ALERT_ALREADY_ACTIVE",
                    "There is an active alert already.",
                    details: ["alertId": active ?? ""]
                )
            }
            try await tellResponders("Alert", "asks for help.", context)
            return .json(try alert(row))
        }
    }
    .forPersons()
    .answering(alertSchema)
    .refusing(.conflict)
}

/// Ends an alert.
public let cancelAlert = Function("cancel-alert") {
    Post { request, context in
        var fields = try BodyFields(request)
        let id = fields.text("alertId", upTo: 100)
        try fields.finish()
        guard id.isUUID else { throw APIError.notFound }
        let rows = try await context.personalDatabase.query(
            """
            UPDATE alerts SET ended_at = coalesce(alerts.ended_at, clock_timestamp())
            FROM (SELECT id, ended_at FROM alerts WHERE id = \(id)::uuid AND user_id = \(context.person) FOR UPDATE) AS old
            WHERE alerts.id = old.id
            RETURNING old.ended_at IS NULL AS was_active
            """
        )
        guard let row = rows.first else { throw APIError.notFound }
        guard try row.decode(Bool.self, "was_active") else {
            throw APIError(.conflict, "ALERT_NOT_ACTIVE", "The alert has ended already.")
        }
        return .success
    }
    .forPersons()
    .taking(.object(["alertId": .text(upTo: 100)]))
    .answering(.success)
    .refusing(.notFound, .conflict)
}

/// The caller's alert, or null.
public let getActiveAlert = Function("get-active-alert") {
    Post { _, context in
        .json(try await activeAlert(context).map { try alert($0) } ?? .null)
    }
    .forPersons()
    .answering(alertSchema.nullable)
}

private let alertSchema = JSONSchema.object([
    "alertId": .uuid, "activatedAt": .timestamp, "status": .words("active"),
])

private func activeAlert(_ context: Context) async throws -> Row? {
    try await context.personalDatabase.query(
        "SELECT id::text AS id, activated_at FROM alerts WHERE user_id = \(context.person) AND ended_at IS NULL"
    ).first
}

private func alert(_ row: Row) throws -> JSONValue {
    ["alertId": try row.json("id"), "activatedAt": try row.json("activated_at"), "status": "active"]
}
