public import HTTP

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
}
