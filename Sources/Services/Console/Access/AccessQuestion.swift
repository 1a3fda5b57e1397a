package import SwiftletJSON

/// What the tester is asked.
package struct AccessQuestion: Sendable {
    /// Rows that are asked about, of which ``maximumRows`` are shown.
    static let examinedRows = 2_000
    static let maximumRows = 200
    /// Rows for which the functions are asked.
    static let probedRows = 50
    /// Milliseconds: a policy that takes longer must not delay the app.
    static let timeout = 2_000

    package var who: JSONObject
    package var schema: String
    package var table: String
    /// Filters as of the grid.
    package var filters: JSONValue = .array([])
    /// How many rows are explained: hidden ones first.
    package var limit = 50
    /// Asks about the row with this key only.
    package var key: [String?]?
    /// A row to insert; nil for none.
    package var insert: JSONObject?
    /// Really tries UPDATE, DELETE and INSERT, each rolled back: triggers run.
    package var tries = false

    package init(who: JSONObject, schema: String, table: String) {
        self.who = who
        self.schema = schema
        self.table = table
    }
}
