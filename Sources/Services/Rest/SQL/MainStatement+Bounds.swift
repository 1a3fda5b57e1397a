import SwiftletPostgres

/// What reads the rows of a large answer.
struct RowReading {
    /// Counts the rows of the page, in the cursor's snapshot. nil where each row of the cursor has their number beside it.
    let count: StatementText?
    let cursor: StatementText
    let form: RowForm
}

extension RestPlan {
    /// The same, with an answer of no body where it would be larger than ``AnswerBound``: where rows are sent one by one.
    var bounded: RestPlan {
        guard rowForm != nil, ending.checks.isEmpty else { return self }
        var plan = self
        plan.ending.isBounded = true
        return plan
    }

    /// Whether there is more than the answer has.
    func isExceeded(by answer: RestTransaction.MainRow) -> Bool {
        // No rows as CSV are no bytes.
        ending.isBounded && (answer.count > AnswerBound.rows || answer.body.isEmpty && answer.count > 0)
    }

    /// Those of relations, and of functions that may run twice: for what fits, and for a cursor if that did not.
    private var rowForm: RowForm? {
        switch operation {
        case .read: return form.rows(MainStatement.rows, strip: ending.stripsNulls)
        case .call(let call, _, _):
            guard call.routine.returnsSet, call.routine.volatility != .volatile else { return nil }
            var isNested = false
            if case .scalar(let type, _) = call.routine.result { isNested = type == "record" || type.hasSuffix("[]") }
            return form.rows(MainStatement.rows, strip: ending.stripsNulls, isNested: isNested)
        case .insert, .replace, .update, .delete: return nil
        }
    }

    /// The function that may run twice for its rows: it need not where they are known to be many. A page has a total only
    /// after all rows were counted.
    var streamedRoutine: Routine? {
        guard ending.isBounded, case .call(let call, _, let countsAll) = operation else { return nil }
        return countsAll && !rows.readsAll ? nil : call.routine
    }

    var isListOfRelation: Bool {
        if case .read = operation { form == .array } else { false }
    }

    /// nil for what is not sent row by row.
    var streamed: RowReading? {
        guard let form = rowForm else { return nil }
        var cursor = StatementText()
        cursor.add("DECLARE \(RowStream.cursor) NO SCROLL CURSOR FOR ")
        switch operation {
        case .read(let relation, let total):
            cursor.add("SELECT \(form.row) FROM (")
            cursor.addSelect(rows, from: .relation(relation))
            cursor.add(") AS \(MainStatement.rows)")
            return RowReading(count: count(relation, total), cursor: cursor, form: form)
        case .call(let call, _, _):
            // The number is known when the function is done: it has not to run for that alone.
            cursor.addSource(call)
            cursor.add(" SELECT \(form.row), count(*) OVER () FROM (")
            cursor.addRows(of: call, rows)
            cursor.add(") AS \(MainStatement.rows)")
            return RowReading(count: nil, cursor: cursor, form: form)
        case .insert, .replace, .update, .delete: return nil
        }
    }

    private func count(_ relation: QualifiedName, _ total: RowTotal?) -> StatementText {
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
        return count
    }

    /// The number of the last row that the page may have; those behind it are of no interest.
    private var lastRow: Int? {
        guard let limit = rows.restriction.limit else { return nil }
        let (last, isTooLarge) = limit.addingReportingOverflow(offset)
        return isTooLarge ? nil : last
    }

    /// How many rows the page has, of what was counted: all rows of a relation, or those of the page of a function.
    func pageCount(of count: Int) -> Int {
        guard case .read = operation else { return count }
        return min(rows.restriction.limit ?? .max, max(0, count - offset))
    }
}
