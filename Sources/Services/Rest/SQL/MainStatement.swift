import SwiftletPostgres

/// The statement that does what a request asks for and gives one row: the total, the number of rows, the body, and what
/// functions have set for the answer.
struct MainStatement {
    var text = StatementText()
    /// Nothing in it changes a row.
    var isReadOnly: Bool

    /// Columns of the row.
    enum Column {
        static let total = 0
        static let count = 1
        static let body = 2
        static let headers = 3
        static let status = 4
        static let inserted = 5
        static let keys = 6
    }

    static let rows = "\"swiftlet_rows\""
    static let source = "swiftlet_source"
    /// What functions have set for the answer.
    static let headers = "nullif(current_setting('response.headers', true), '')"
    static let status = "nullif(current_setting('response.status', true), '')"

    /// How the rows become the answer.
    struct Ending {
        var form: ResultForm
        var stripsNulls = false
        var checks: [RowCountCheck] = []
        /// An expression for the total, where one is wanted.
        var total: String?
        var countsInserted = false
        /// The body is NULL if it is larger than ``AnswerBound``.
        var isBounded = false
        /// The primary key's columns for `Location`.
        var keys: [String] = []
    }

    /// `SELECT …` over the rows that follow as `FROM (…) AS rows`.
    mutating func addAnswer(_ ending: Ending) {
        let rows = Self.rows
        text.add("SELECT \(ending.total ?? "NULL::bigint"), count(*)")
        // Checked where the rows are counted, so that a change is undone with it.
        let body = ending.form.sql(rows, strip: ending.stripsNulls)
        if ending.isBounded, let length = ending.form.rows(rows, strip: ending.stripsNulls)?.length {
            // PostgreSQL aggregates once for both.
            text.add(", CASE WHEN \(length) <= \(AnswerBound.bytes) THEN \(body) END")
        } else {
            text.add(", \(body)")
        }
        text.add(", \(Self.headers), \(Self.status)")
        text.add(ending.countsInserted ? ", nullif(current_setting('swiftlet.inserted', true), '')" : ", NULL")
        if ending.keys.isEmpty {
            text.add(", NULL")
        } else {
            let keys = ending.keys.map { "\(rows).\($0.quotedIdentifier)" }.joined(separator: ", ")
            text.add(", (json_agg(json_build_array(\(keys))) -> 0)::text")
        }
        for check in ending.checks { text.add(", " + check.sql("count(*)")) }
    }
}
