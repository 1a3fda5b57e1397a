import Swiftlet

/// The flat counts that the app's home screen reads, with the same by status and by priority.
///
/// Overdue means due before the start of today (UTC) and neither completed nor cancelled.
@Sendable func taskStatistics(_ request: Request, _ context: Context) async throws -> Response {
    let user = try context.user.id
    let onlyMine = ["true", "1"].contains(request.query["my"])
    let rows = try await context.database.query(
        """
        SELECT status::text AS status, priority::text AS priority, count(*) AS total,
               count(*) FILTER (WHERE due_date < date_trunc('day', now())) AS past_due,
               count(*) FILTER (WHERE due_date >= date_trunc('day', now())
                                AND due_date < date_trunc('day', now()) + interval '1 day') AS due_today,
               count(*) FILTER (WHERE assigned_to::text = \(user)) AS mine
        FROM tasks
        WHERE tenant_id = \(context.tenant) AND (NOT \(onlyMine)::boolean OR assigned_to::text = \(user))
        GROUP BY 1, 2
        """
    )
    var statistics = TaskStatistics()
    for row in rows {
        try statistics.add(row)
    }
    return .json { statistics.write(to: &$0) }
}

private struct TaskStatistics {
    private var byStatus = Dictionary(uniqueKeysWithValues: taskStatus.words.map { ($0, 0) })
    private var byPriority = Dictionary(uniqueKeysWithValues: taskPriority.words.map { ($0, 0) })
    private var total = 0
    private var overdue = 0
    private var dueToday = 0
    private var myOpen = 0

    private static let closed: Set<String> = ["completed", "cancelled"]

    mutating func add(_ row: Row) throws {
        let status = taskStatus.word(forStored: try row.decode(String?.self, "status"))
        let priority = taskPriority.word(forStored: try row.decode(String?.self, "priority"))
        let count = try row.decode(Int.self, "total")
        total += count
        byStatus[status, default: 0] += count
        byPriority[priority, default: 0] += count
        guard !Self.closed.contains(status) else { return }
        overdue += try row.decode(Int.self, "past_due")
        dueToday += try row.decode(Int.self, "due_today")
        myOpen += try row.decode(Int.self, "mine")
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("total", total)
        for status in taskStatus.words {
            json.key(status)
            json.write(byStatus[status, default: 0])
        }
        json.member("overdue", overdue)
        json.member("due_today", dueToday)
        json.member("my_open", myOpen)
        json.key("by_status")
        write(byStatus, taskStatus.words, to: &json)
        json.key("by_priority")
        write(byPriority, taskPriority.words, to: &json)
        json.endObject()
    }

    private func write(_ counts: [String: Int], _ words: [String], to json: inout JSONWriter) {
        json.beginObject()
        for word in words {
            json.key(word)
            json.write(counts[word, default: 0])
        }
        json.endObject()
    }
}
