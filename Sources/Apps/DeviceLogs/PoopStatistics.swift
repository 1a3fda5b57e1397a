import Swiftlet

let poopStatisticsSchema = JSONSchema.object([
    "total": .integer, "total_duration_seconds": .integer, "average_duration_seconds": .number,
    "flush_funds_earned": .integer, "by_rating": .dictionary(of: .integer),
    "by_day": .list(.object(["date": .day, "count": .integer])), "current_streak_days": .integer,
    "longest_streak_days": .integer,
])

/// Sums, and streaks of days on which something was logged, in UTC unless `tz` names
/// another time zone.
func poopStatistics(_ request: Request, _ context: Context) async throws -> Response {
    let device = try context.device
    let zone = try request.query.timeZone()
    let (start, end) = try request.query.period("from", "to", in: zone)
    let rows = try await context.deviceDatabase.query(
        """
        WITH chosen AS (
            SELECT (logged_at AT TIME ZONE \(zone.rawValue))::date AS day, duration_seconds, rating, flush_funds_earned
            FROM poop_logs
            WHERE device_id = \(device)::uuid AND deleted_at IS NULL
                AND (\(start)::timestamptz IS NULL OR logged_at >= \(start)::timestamptz)
                AND (\(end)::timestamptz IS NULL OR logged_at < \(end)::timestamptz)
        ),
        days AS (SELECT day, count(*) AS count FROM chosen GROUP BY day),
        -- Days in a row have the same distance to their number.
        streaks AS (
            SELECT count(*) AS length, max(day) AS last
            FROM (SELECT day, day - row_number() OVER (ORDER BY day)::int AS streak FROM days) AS numbered
            GROUP BY streak
        )
        SELECT count(*) AS total, coalesce(sum(duration_seconds), 0) AS total_duration_seconds,
            coalesce(round(avg(duration_seconds), 1), 0)::float8 AS average_duration_seconds,
            coalesce(sum(flush_funds_earned), 0) AS flush_funds_earned,
            (SELECT jsonb_object_agg(word, coalesce(count, 0))
             FROM unnest(ARRAY['great', 'good', 'okay', 'bad', 'terrible']) AS word
             LEFT JOIN (SELECT rating, count(*) AS count FROM chosen GROUP BY rating) AS c ON c.rating = word) AS by_rating,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('date', day, 'count', count) ORDER BY day), '[]') FROM days)
                AS by_day,
            -- One that ended yesterday still counts: today is not over.
            coalesce((SELECT max(length) FROM streaks WHERE last >= (now() AT TIME ZONE \(zone.rawValue))::date - 1), 0)
                AS current_streak_days,
            coalesce((SELECT max(length) FROM streaks), 0) AS longest_streak_days
        FROM chosen
        """
    )
    return .json(.object(try rows.first?.json() ?? [:]))
}
