public import SwiftletHTTP

extension Query {
    /// The time in a parameter like `?from=2025-03-15T17:44:35Z`, as a statement takes it: `\(from)::timestamptz`. nil if
    /// it is absent or empty; one without an offset is in UTC.
    ///
    /// Throws ``APIError`` 400 that names the parameter if it is neither a time nor a date.
    public func time(_ name: String) throws(APIError) -> String? {
        guard let text = self[name], !text.isEmpty else { return nil }
        guard TimestampText.isTimestamp(text) else { throw .validation([name: "must be a timestamp"]) }
        return TimestampText.cut(text)
    }

    /// The period that two parameters like `?from=2025-03-15&to=2025-03-21` bound, as a statement takes it:
    /// `logged_at >= \(period.start)::timestamptz AND logged_at < \(period.end)::timestamptz`.
    ///
    /// A day as the upper bound means its end, and a time its whole second, as times are shown without fractions. Days
    /// and times without an offset are those of `zone`. Throws ``APIError`` 400 that names the parameter at fault.
    public func period(
        _ lower: String,
        _ upper: String,
        in zone: TimeZoneName = .utc
    ) throws(APIError) -> (start: String?, end: String?) {
        (try writtenTime(lower)?.start(in: zone), try writtenTime(upper)?.end(in: zone))
    }

    private func writtenTime(_ name: String) throws(APIError) -> WrittenTime? {
        guard let text = self[name], !text.isEmpty else { return nil }
        guard let time = WrittenTime(text) else { throw .validation([name: "must be a timestamp"]) }
        return time
    }
}
