public import Swiftlet

/// How the team is doing, for managers (level 4 and above).
public let teamReports = Function("team-reports") {
    Get("/pipeline", pipeline).requiring(level: 4).taking(query: ["tz": .text]).answering(
        .object([
            "pipeline_value": .number, "weighted_value": .number, "closed_won_this_month": .number,
            "open_opportunity_count": .integer, "closed_won_count": .integer,
        ])
    )
    Get("/activities", activityReport).requiring(level: 4).taking(query: ["days": .integer, "tz": .text]).answering(
        .rows([
            "user_id": .text.nullable, "name": .text.nullable, "call_count": .integer, "email_count": .integer,
            "meeting_count": .integer, "note_count": .integer,
        ])
    )
    Get("/leaderboard", leaderboard).requiring(level: 4)
        .taking(query: ["period": .words("week", "month", "quarter", "year"), "tz": .text])
        .answering(
            .rows([
                "user_id": .text.nullable, "name": .text.nullable, "closed_won_amount": .number,
                "closed_won_count": .integer, "rank": .integer,
            ])
        )
    Get("/no-touch", noTouch).requiring(level: 4).taking(query: ["days": .integer, "tz": .text]).answering(
        .rows([
            "user_id": .text.nullable, "rep_name": .text.nullable, "opportunity_id": .text,
            "opportunity_name": .text.nullable, "customer_name": .text.nullable,
            "days_since_last_activity": .integer.nullable, "open_amount": .number.nullable,
        ])
    )
}

private let userName: SQL = "nullif(btrim(concat_ws(' ', u.first_name, u.last_name)), '')"

/// Sums the open deals by stage and by person.
private func pipeline(_ request: Request, _ context: Context) async throws -> Response {
    let days = try Days(request)
    let found = try await rows(
        of: "deals",
        context,
        """
        SELECT coalesce(sum(amount) FILTER (WHERE status::text = 'open'), 0) AS pipeline_value,
               round(coalesce(sum(amount * probability / 100) FILTER (WHERE status::text = 'open'), 0), 2)
                   AS weighted_value,
               coalesce(sum(amount) FILTER (WHERE status::text = 'won'), 0) AS closed_won_this_month,
               count(*) FILTER (WHERE status::text = 'open') AS open_opportunity_count,
               count(*) FILTER (WHERE status::text = 'won') AS closed_won_count
        FROM deals WHERE tenant_id = \(context.tenant) AND (status::text = 'open' OR status::text = 'won'
            AND actual_close_date >= \(days.start(of: "month")) AND actual_close_date < \(days.tomorrow))
        """
    )
    let none: JSONObject = [
        "pipeline_value": 0, "weighted_value": 0, "closed_won_this_month": 0, "open_opportunity_count": 0,
        "closed_won_count": 0,
    ]
    return .json(.object(try found.first?.json() ?? none))
}

/// Counts what everybody has done in the last `days`, today included.
private func activityReport(_ request: Request, _ context: Context) async throws -> Response {
    let (days, count) = (try Days(request), try request.query.days(default: 7))
    return try .list(
        await rows(
            of: "business_record_activities",
            context,
            """
            SELECT a.created_by::text AS user_id, max(\(userName)) AS name,
                   count(*) FILTER (WHERE lower(a.activity_type) LIKE '%call%') AS call_count,
                   count(*) FILTER (WHERE lower(a.activity_type) LIKE '%mail%') AS email_count,
                   count(*) FILTER (WHERE lower(a.activity_type) IN ('meeting', 'visit', 'demo')) AS meeting_count,
                   count(*) FILTER (WHERE lower(a.activity_type) LIKE '%note%') AS note_count
            FROM business_record_activities a
            LEFT JOIN users u ON u.id::text = a.created_by::text AND u.tenant_id = \(context.tenant)
            WHERE a.tenant_id = \(context.tenant) AND a.created_at < \(days.tomorrow)
            AND a.created_at >= \(days.start(daysAgo: count - 1))
            GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 500
            """
        )
    )
}

/// Who won most in this week, month, quarter or year.
private func leaderboard(_ request: Request, _ context: Context) async throws -> Response {
    let (days, period) = (try Days(request), request.query["period"] ?? "month")
    guard ["week", "month", "quarter", "year"].contains(period) else {
        throw APIError.validation(["period": "must be one of week, month, quarter, year"])
    }
    return try .list(
        await rows(
            of: "deals",
            context,
            """
            SELECT d.owner_id::text AS user_id, max(\(userName)) AS name,
                   coalesce(sum(d.amount), 0) AS closed_won_amount, count(*) AS closed_won_count,
                   rank() OVER (ORDER BY coalesce(sum(d.amount), 0) DESC) AS rank
            FROM deals d LEFT JOIN users u ON u.id::text = d.owner_id::text AND u.tenant_id = \(context.tenant)
            WHERE d.tenant_id = \(context.tenant) AND d.status::text = 'won'
            AND d.actual_close_date >= \(days.start(of: period)) AND d.actual_close_date < \(days.tomorrow)
            GROUP BY 1 ORDER BY rank, 1 LIMIT 500
            """
        )
    )
}

/// Open deals that nobody has done anything about for so many days.
private func noTouch(_ request: Request, _ context: Context) async throws -> Response {
    let (days, count) = (try Days(request), try request.query.days(default: 3))
    return try .list(
        await rows(
            of: "deals",
            context,
            """
            SELECT d.owner_id::text AS user_id, \(userName) AS rep_name, d.id::text AS opportunity_id,
                   d.title AS opportunity_name, coalesce(c.company_name, d.company_name) AS customer_name,
                   (\(days.date) - \(days.date(of: "touched.at"))) AS days_since_last_activity, d.amount AS open_amount
            FROM deals d
            LEFT JOIN users u ON u.id::text = d.owner_id::text AND u.tenant_id = \(context.tenant)
            LEFT JOIN business_records c ON c.id::text = d.customer_id::text AND c.tenant_id = \(context.tenant)
            CROSS JOIN LATERAL (
                SELECT greatest(d.last_activity_date, d.created_at, (
                    SELECT max(a.created_at) FROM business_record_activities a
                    WHERE a.tenant_id = d.tenant_id AND a.business_record_id = d.customer_id
                )) AS at
            ) touched
            WHERE d.tenant_id = \(context.tenant) AND d.status::text = 'open'
            AND touched.at < \(days.start(daysAgo: count - 1))
            ORDER BY touched.at, 3 LIMIT 500
            """
        )
    )
}
