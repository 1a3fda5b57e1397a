import Swiftlet

private let isOpen: SQL = "lower(t.status::text) NOT IN ('resolved', 'closed', 'completed', 'cancelled')"

/// The tenant's tickets as `t`. A column that the database lacks is null.
private func tickets(_ tenant: TenantID) -> SQL {
    """
    (
        SELECT NULL AS status, NULL AS priority, NULL AS assigned_technician_id, NULL::timestamp AS scheduled_date
    ) AS absent, LATERAL (
        SELECT tenant_id, status, priority, assigned_technician_id, scheduled_date
        FROM service_tickets WHERE tenant_id = \(tenant)
    ) AS t
    """
}

let ticketStatisticsSchema = JSONSchema.object([
    "total": .integer, "open": .integer, "unassigned": .integer, "overdue": .integer, "scheduled_today": .integer,
    "by_status": .dictionary(of: .integer), "by_priority": .dictionary(of: .integer),
])

let ticketVocabularySchema = JSONSchema.object([
    "statuses": .list(.text), "priorities": .list(.text), "update_types": .list(.text),
])

let dispatchLoadSchema = JSONSchema.rows([
    "technician_id": .text, "technician_name": .text.nullable, "open_tickets": .integer, "urgent_tickets": .integer,
    "scheduled_today": .integer,
])

/// The tenant's tickets in numbers; `?my=true` counts the caller's only.
func ticketStatistics(_ request: Request, _ context: Context) async throws -> Response {
    let (user, onlyMine) = (try context.user.id, try request.query.flag("my"))
    let days = try Days(request)
    let (today, tomorrow) = (days.today, days.tomorrow)
    let found = try await rows(
        of: "service_tickets",
        context,
        """
        WITH counted AS (
            SELECT lower(t.status::text) AS status, lower(t.priority::text) AS priority, count(*) AS total,
                   count(*) FILTER (WHERE \(isOpen)) AS open,
                   count(*) FILTER (WHERE \(isOpen) AND t.assigned_technician_id IS NULL) AS unassigned,
                   count(*) FILTER (WHERE \(isOpen) AND t.scheduled_date < \(today)) AS overdue,
                   count(*) FILTER (WHERE t.scheduled_date >= \(today)
                                    AND t.scheduled_date < \(tomorrow)) AS scheduled_today
            FROM \(tickets(try context.tenant))
            WHERE NOT \(onlyMine)::boolean OR t.assigned_technician_id::text = \(user) GROUP BY 1, 2
        )
        SELECT coalesce(sum(total), 0) AS total, coalesce(sum(open), 0) AS open,
               coalesce(sum(unassigned), 0) AS unassigned, coalesce(sum(overdue), 0) AS overdue,
               coalesce(sum(scheduled_today), 0) AS scheduled_today,
               (SELECT coalesce(jsonb_object_agg(word, number), '{}') FROM (
                   SELECT status AS word, sum(total) AS number FROM counted WHERE status IS NOT NULL GROUP BY 1
               ) words) AS by_status,
               (SELECT coalesce(jsonb_object_agg(word, number), '{}') FROM (
                   SELECT priority AS word, sum(total) AS number FROM counted WHERE priority IS NOT NULL GROUP BY 1
               ) words) AS by_priority
        FROM counted
        """
    )
    let none: JSONObject = [
        "total": 0, "open": 0, "unassigned": 0, "overdue": 0, "scheduled_today": 0, "by_status": [:],
        "by_priority": [:],
    ]
    return .json(.object(try found.first?.json() ?? none))
}

/// The words that the app draws; others are stored too.
func ticketVocabulary(_ request: Request, _ context: Context) -> Response {
    .json([
        "statuses": [
            "open", "assigned", "scheduled", "en_route", "on_site", "in_progress", "on_hold", "waiting_parts",
            "resolved",
            "completed", "closed", "cancelled",
        ],
        "priorities": ["low", "medium", "high", "urgent", "critical"],
        "update_types": ["note", "status_change", "assignment", "escalation", "resolution", "parts_ordered"],
    ])
}

/// How much each technician has to do, the busiest first.
func dispatchLoad(_ request: Request, _ context: Context) async throws -> Response {
    let days = try Days(request)
    return try .list(
        await rows(
            of: "service_tickets",
            context,
            """
            SELECT t.assigned_technician_id::text AS technician_id,
                   max(nullif(btrim(concat_ws(' ', u.first_name, u.last_name)), '')) AS technician_name,
                   count(*) AS open_tickets,
                   count(*) FILTER (WHERE lower(t.priority::text) IN ('urgent', 'critical')) AS urgent_tickets,
                   count(*) FILTER (WHERE t.scheduled_date >= \(days.today)
                                    AND t.scheduled_date < \(days.tomorrow)) AS scheduled_today
            FROM \(tickets(try context.tenant))
            LEFT JOIN users u ON u.id::text = t.assigned_technician_id::text AND u.tenant_id = \(try context.tenant)
            WHERE t.assigned_technician_id IS NOT NULL AND \(isOpen)
            GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 500
            """
        )
    )
}
