import SwiftletPostgres

extension ClaimedBatch {
    /// Reads the columns of ``JobStatements/claim``.
    init(_ rows: borrowing Rows) {
        clock = rows.number(0, 0) ?? 0
        untilDue = rows.number(0, 1).map { .milliseconds(Int($0)) }
        untilDeath = rows.number(0, 2).map { .milliseconds(Int($0)) }
        isRenewed = rows.text(0, 16) == "t"
        settled = rows.text(0, 17) ?? ClaimCursor.none
        guard !rows.isNull(0, 3) else { return }
        jobs.reserveCapacity(rows.count)
        for row in 0..<rows.count { jobs.append(ClaimedJob(rows, row)) }
    }
}

extension ClaimedJob {
    fileprivate init(_ rows: borrowing Rows, _ row: Int) {
        claim = JobClaim(id: rows.integer(row, 3) ?? 0, fence: rows.integer(row, 4) ?? 0)
        attempt = rows.integer(row, 5) ?? 1
        name = rows.text(row, 6) ?? ""
        payload = rows.text(row, 7) ?? ""
        caller = JobCaller(
            scope: "",
            tenant: rows.text(row, 8),
            claims: rows.text(row, 9),
            roleLevel: rows.integer(row, 10),
            isExternal: rows.text(row, 11) == "t"
        )
        requestID = rows.text(row, 12)
        lateMilliseconds = rows.integer(row, 13) ?? 0
        priority = rows.integer(row, 14).flatMap { JobPriority(rawValue: $0) } ?? .normal
        due = rows.text(row, 15) ?? ClaimCursor.none
    }
}

extension Rows {
    func text(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : String(sqlText: cell(row, column))
    }

    func integer(_ row: Int, _ column: Int) -> Int? { isNull(row, column) ? nil : Int(sqlText: cell(row, column)) }

    func number(_ row: Int, _ column: Int) -> Double? {
        isNull(row, column) ? nil : Double(sqlText: cell(row, column))
    }
}
