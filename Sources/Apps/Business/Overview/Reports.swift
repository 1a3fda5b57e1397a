import Swiftlet

/// The days of a time zone as SQL, in UTC as the columns are. A day begins at its midnight and ends before the next one.
struct Days: Sendable {
    private let zone: TimeZoneName

    init(in zone: TimeZoneName) { self.zone = zone }

    /// Those that the request's `tz` asks for; UTC's without one.
    init(_ request: Request) throws { self.init(in: try request.query.timeZone()) }

    /// When today has begun.
    var today: SQL { utc("date_trunc('day', \(local))") }
    var tomorrow: SQL { utc("date_trunc('day', \(local)) + interval '1 day'") }

    /// When this `week`, `month`, `quarter` or `year` has begun.
    func start(of period: String) -> SQL { utc("date_trunc(\(period)::text, \(local))") }

    /// When the day began that was so many days before today.
    func start(daysAgo days: Int) -> SQL {
        utc("date_trunc('day', \(local)) - make_interval(days => \(days)::integer)")
    }

    var date: SQL { "(\(local))::date" }

    /// The day that a column's time is on.
    func date(of column: SQL) -> SQL {
        zone == .utc ? "(\(column))::date" : "(\(column) AT TIME ZONE 'UTC' AT TIME ZONE \(zone.rawValue)::text)::date"
    }

    private var local: SQL {
        zone == .utc ? "now() AT TIME ZONE 'UTC'" : "now() AT TIME ZONE \(zone.rawValue)::text"
    }

    private func utc(_ time: SQL) -> SQL {
        zone == .utc ? "(\(time))" : "((\(time)) AT TIME ZONE \(zone.rawValue)::text AT TIME ZONE 'UTC')"
    }
}

/// The rows of a report; none if the database lacks the table.
func rows(of table: StaticString, _ context: Context, _ sql: SQL) async throws -> [Row] {
    try await context.database.parts([DatabasePart("report", of: table, sql)]).rows("report") ?? []
}

extension Query {
    /// `days`, from 1 to 366.
    func days(default usual: Int) throws -> Int {
        guard let text = self["days"], !text.isEmpty else { return usual }
        guard let days = Int(text), (1...366).contains(days) else {
            throw APIError.validation(["days": "must be a whole number from 1 to 366"])
        }
        return days
    }
}
