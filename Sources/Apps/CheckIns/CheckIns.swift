public import Swiftlet

/// Says that the caller is well, and by when they will say so again. Each call takes the place of the one before.
public let processCheckIn = Function("process-check-in") {
    Post { request, context in
        var fields = try BodyFields(request)
        let interval = fields.number("nextCheckInInterval", in: 60...31_536_000)
        try fields.finish()
        return try await context.transaction { context in
            let rows = try await context.personalDatabase.query(
                """
                INSERT INTO check_ins AS known (user_id, last_check_in, next_check_in, interval_seconds)
                SELECT \(context.person), moment, moment + \(interval)::double precision * interval '1 second', \(interval)
                FROM date_trunc('second', clock_timestamp()) AS moment
                ON CONFLICT (user_id) DO UPDATE SET
                    last_check_in = excluded.last_check_in, next_check_in = excluded.next_check_in,
                    interval_seconds = excluded.interval_seconds, number = known.number + 1,
                    reminded_at = NULL, alarmed_at = NULL
                RETURNING last_check_in, next_check_in, number, next_check_in::text AS due
                """
            )
            guard let row = rows.first else { throw APIError.notFound }
            try await expectCheckIn(row, context)
            return .json([
                "success": true, "lastCheckInTime": try row.json("last_check_in"),
                "nextCheckInTime": try row.json("next_check_in"),
            ])
        }
    }
    .forPersons()
    .taking(.object(["nextCheckInInterval": .number]))
    .answering(.object(["success": .flag, "lastCheckInTime": .timestamp, "nextCheckInTime": .timestamp]))
    .refusing(.notFound, .conflict)
    remindOfCheckIn
    raiseMissedCheckIn
}

/// When the caller has checked in and has to again, and how they are.
public let getCheckInStatus = Function("get-check-in-status") {
    Post { _, context in
        let rows = try await context.personalDatabase.query(
            """
            SELECT last_check_in, next_check_in, interval_seconds,
                alarmed_at IS NOT NULL AS is_alarmed, next_check_in < clock_timestamp() AS is_overdue,
                EXISTS (SELECT FROM alerts WHERE user_id = \(context.person) AND ended_at IS NULL) AS is_alert
            FROM (SELECT \(context.person) AS person) AS caller LEFT JOIN check_ins ON user_id = person
            """
        )
        guard let row = rows.first else { throw APIError.notFound }
        return .json([
            "lastCheckInTime": try row.json("last_check_in"), "nextCheckInTime": try row.json("next_check_in"),
            "status": .string(try status(row)),
            "interval": row["interval_seconds"] == nil ? 86_400 : try row.json("interval_seconds"),
        ])
    }
    .forPersons()
    .answering(
        .object([
            "lastCheckInTime": .timestamp.nullable, "nextCheckInTime": .timestamp.nullable,
            "status": .words("inactive", "active", "overdue", "alert"), "interval": .number,
        ])
    )
}

private func status(_ row: Row) throws -> String {
    if try row.decode(Bool.self, "is_alert") || row.decode(Bool.self, "is_alarmed") { return "alert" }
    guard let isOverdue = try row.decode(Bool?.self, "is_overdue") else { return "inactive" }
    return isOverdue ? "overdue" : "active"
}
