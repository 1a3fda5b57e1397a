import Swiftlet

/// `GET /poop-logs/stats?from&to`: sums, and streaks of days in UTC on which something was logged.
func poopStatistics(_ request: Request, _ context: Context) async throws -> Response {
    let device = try context.device
    let period = try Period(request.query)
    let rows = try await context.deviceDatabase.query(
        """
        WITH chosen AS (
            SELECT (logged_at AT TIME ZONE 'UTC')::date AS day, duration_seconds, rating, flush_funds_earned
            FROM poop_logs
            WHERE device_id = \(device)::uuid AND deleted_at IS NULL
                AND (\(period.start)::timestamptz IS NULL OR logged_at >= \(period.start)::timestamptz)
                AND (\(period.end)::timestamptz IS NULL OR logged_at <= \(period.end)::timestamptz)
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
            coalesce((SELECT max(length) FROM streaks WHERE last >= (now() AT TIME ZONE 'UTC')::date - 1), 0)
                AS current_streak_days,
            coalesce((SELECT max(length) FROM streaks), 0) AS longest_streak_days
        FROM chosen
        """
    )
    return .json(.object(try rows.first?.json() ?? [:]))
}

/// From when until when, both inclusive.
private struct Period {
    let start: String?
    let end: String?

    /// Whether it looks like a day or a time; PostgreSQL refuses what is not in the calendar.
    private static func isTime(_ text: String) -> Bool {
        let digits = text.utf8.prefix(10).enumerated().allSatisfy { place, byte in
            place == 4 || place == 7
                ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return digits && (10...35).contains(text.utf8.count) && text.allSatisfy { "0123456789T :.+-Z".contains($0) }
    }

    /// Throws 400 that names what is no time.
    init(_ query: Query) throws {
        var faults: [String: String] = [:]
        func time(_ name: String) -> String? {
            guard let text = query[name], !text.isEmpty else { return nil }
            if !Self.isTime(text) { faults[name] = "must be a time such as 2025-03-15T17:44:35Z" }
            return text
        }
        start = time("from")
        end = time("to")
        guard faults.isEmpty else { throw APIError.validation(faults) }
    }
}
