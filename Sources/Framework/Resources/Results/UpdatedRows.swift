public import SwiftletWeb

/// What a change of many rows has done.
public struct UpdatedRows: Sendable {
    /// How many rows were changed.
    public let count: Int
    /// Keys of the values that match no column, and so were not stored.
    public let ignoredFields: [String]

    /// 200 `{"success":true,"updated":N}`, with ``ignoredFields`` in `X-Ignored-Fields`.
    public func response() -> Response {
        var response = Response.json(["success": true, "updated": JSONValue(count)])
        response.nameIgnoredFields(ignoredFields)
        return response
    }
}
