import SwiftletPostgres

/// How much of an answer is made as a whole. A larger one is read by a cursor while it is sent, see ``RowStream``.
enum AnswerBound {
    /// So much work is done in vain for a larger answer.
    static let rows = 20_000
    /// So much of it is in memory at once, some copies aside.
    static let bytes = 2 << 20
}

extension RestPlan {
    /// The same, with an answer of no body where it would be larger than ``AnswerBound``. Only lists of rows of relations
    /// are sent row by row.
    var bounded: RestPlan {
        guard case .read = operation, form == .array else { return self }
        var plan = self
        plan.ending.isBounded = true
        return plan
    }

    /// Whether there is more than the answer has.
    func isExceeded(by answer: RestTransaction.MainRow) -> Bool {
        ending.isBounded && (answer.count > AnswerBound.rows || answer.body.isEmpty)
    }

    /// The number of the rows that the page has, and a cursor for their JSON, of two statements of one snapshot. nil for
    /// what is no read.
    var streamed: (count: StatementText, cursor: StatementText)? {
        guard case .read(let relation, let total) = operation else { return nil }
        var count = StatementText()
        count.add("SELECT count(*) FROM (")
        if rows.isGrouped {
            var all = rows
            all.restriction.limit = nil
            all.restriction.offset = nil
            count.addSelect(all, from: .relation(relation))
        } else {
            count.addRowsToCount(rows, from: .relation(relation))
        }
        if total != .exact, let last = lastRow { count.add(" LIMIT \(last)") }
        count.add(") AS \(MainStatement.rows)")
        var cursor = StatementText()
        cursor.add("DECLARE \(RowStream.cursor) NO SCROLL CURSOR FOR SELECT ")
        let row = "row_to_json(\(MainStatement.rows))"
        cursor.add(ending.stripsNulls ? "json_strip_nulls(\(row))" : row)
        cursor.add(" FROM (")
        cursor.addSelect(rows, from: .relation(relation))
        cursor.add(") AS \(MainStatement.rows)")
        return (count, cursor)
    }

    /// The number of the last row that the page may have; those behind it are of no interest.
    private var lastRow: Int? {
        guard let limit = rows.restriction.limit else { return nil }
        let (last, isTooLarge) = limit.addingReportingOverflow(offset)
        return isTooLarge ? nil : last
    }

    /// How many of all rows the page has.
    func pageCount(of all: Int) -> Int { min(rows.restriction.limit ?? .max, max(0, all - offset)) }
}
