import Swiftlet

// A UTC day begins at its midnight and ends before the next one. Sessions run in UTC.
let today: SQL = "date_trunc('day', now() AT TIME ZONE 'UTC')"
let tomorrow: SQL = "date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day'"

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
