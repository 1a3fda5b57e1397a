public import Swiftlet

/// The home screen: what the caller has to do today, and how the business is going. Days are those of `tz`,
/// or UTC's.
///
/// Its parts are read in one round trip; one that fails is null and named in `degraded`.
public let todayDashboard = Function("today-dashboard") {
    Get("/", dashboard).taking(query: ["tz": .text]).answering(dashboardSchema)
}

private let dashboardSchema: JSONSchema = {
    let (number, list) = (JSONSchema.number.nullable, JSONSchema.list(.dictionary(of: .any)).nullable)
    return .object([
        "task_count": number, "overdue_count": number, "open_tasks": number, "due_today_tasks": number,
        "open_tickets": number, "overdue_invoices": number, "pipeline_value": number, "monthly_revenue": number,
        "new_leads_today": number, "pending_approval_count": number, "appointment_count": number,
        "upcoming_appointments": number,
        "metrics": .object(["new_leads": number, "today_revenue": number, "deals_won": number]),
        "date": .day.nullable, "tasks": list, "overdueTasks": list, "recentActivities": list,
        "pendingApprovals": list, "appointments": list, "degraded": .list(.text),
    ])
}()

private func dashboard(_ request: Request, _ context: Context) async throws -> Response {
    let (tenant, user, days) = (try context.tenant, try context.user.id, try Days(request))
    let parts = try await context.database.parts(
        counts(tenant, user, days) + lists(tenant, user, days)
    )
    return try .json { json in
        try json.object { json in
            for (key, part, column) in members {
                json.member(key, try count(parts, part, column))
            }
            json.member(
                "appointment_count",
                try sum("today", of: "ticket_appointments", and: "activity_appointments", in: parts)
            )
            json.member(
                "upcoming_appointments",
                try sum("upcoming", of: "ticket_appointments", and: "activity_appointments", in: parts)
            )
            json.key("metrics")
            try json.object { json in
                json.member("new_leads", try count(parts, "leads", "today"))
                json.member("today_revenue", try count(parts, "deals", "today_revenue"))
                json.member("deals_won", try count(parts, "deals", "won_today"))
            }
            json.member("date", try parts.value("day", "date"))
            for (key, part) in listMembers {
                json.member(key, try parts.rows(part).map { .array(try $0.map { .object(try $0.json()) }) } ?? .null)
            }
            json.member("appointments", try appointments(parts, "tickets_today", "activities_today"))
            json.member("degraded", .array(parts.degraded.map { .string($0) }))
        }
    }
}

/// The members that one column of one part gives.
private let members: [(key: StaticString, part: String, column: String)] = [
    ("task_count", "tasks", "mine"), ("overdue_count", "tasks", "my_overdue"), ("open_tasks", "tasks", "open"),
    ("due_today_tasks", "tasks", "due_today"), ("open_tickets", "tickets", "open"),
    ("overdue_invoices", "invoices", "overdue"), ("pipeline_value", "deals", "pipeline_value"),
    ("monthly_revenue", "deals", "monthly_revenue"), ("new_leads_today", "leads", "today"),
    ("pending_approval_count", "approvals", "pending"),
]

private let listMembers: [(key: StaticString, part: String)] = [
    ("tasks", "tasks_due_today"), ("overdueTasks", "tasks_overdue"), ("recentActivities", "recent_activities"),
    ("pendingApprovals", "pending_approvals"),
]

/// 0 where the database lacks the table; null if the part failed.
private func count(_ parts: DatabaseParts, _ part: String, _ column: String) throws -> JSONValue {
    guard let rows = parts.rows(part) else { return .null }
    return rows.isEmpty ? 0 : try parts.value(part, column)
}

/// Null if one of the parts failed: half of it would be a false number.
private func sum(
    _ column: String,
    of first: String,
    and second: String,
    in parts: DatabaseParts
) throws -> JSONValue {
    guard let one = try count(parts, first, column).int, let other = try count(parts, second, column).int else {
        return .null
    }
    return JSONValue(one + other)
}

/// Those of both parts, the earliest first; null if one of them failed, as its count is.
private func appointments(_ parts: DatabaseParts, _ first: String, _ second: String) throws -> JSONValue {
    guard let one = parts.rows(first), let other = parts.rows(second) else { return .null }
    let rows = try (one + other).map { try $0.json() }
    let time = { (row: JSONObject) in row["scheduled_date"]?.string ?? "" }
    return .array(rows.sorted { time($0) < time($1) }.map { .object($0) })
}
