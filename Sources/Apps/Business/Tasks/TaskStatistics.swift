import Swiftlet

/// The counts on the app's home screen: one flat object, and the same counts by status and by priority.
///
/// A task is overdue if it was due before today (of `tz`, or UTC) and is neither completed nor cancelled. `?my=true` only counts
/// the caller's tasks.
func taskStatistics(_ request: Request, _ context: Context) async throws -> Response {
    let user = try context.user.id
    let onlyMine = try request.query.flag("my")
    let days = try Days(request)
    let rows = try await rows(
        of: "tasks",
        context,
        """
        SELECT task.status::text AS status, task.priority::text AS priority, count(*) AS total,
               count(*) FILTER (WHERE task.due_date < \(days.today)) AS past_due,
               count(*) FILTER (WHERE task.due_date >= \(days.today)
                                AND task.due_date < \(days.tomorrow)) AS due_today,
               count(*) FILTER (WHERE task.assigned_to::text = \(user)) AS mine
        FROM (
            -- A column that the database lacks is taken from here.
            SELECT NULL AS status, NULL AS priority, NULL::timestamp AS due_date, NULL AS assigned_to
        ) AS absent, LATERAL (
            SELECT status, priority, due_date, assigned_to FROM tasks WHERE tenant_id = \(context.tenant)
        ) AS task
        WHERE NOT \(onlyMine)::boolean OR task.assigned_to::text = \(user)
        GROUP BY 1, 2
        """
    )
    var statistics = TaskStatistics()
    for row in rows {
        try statistics.add(row)
    }
    return .json { statistics.write(to: &$0) }
}

/// Beside these, the count of each status and priority by its word.
let taskStatisticsSchema = JSONSchema.object([
    "total": .integer, "overdue": .integer, "due_today": .integer, "my_open": .integer,
    "by_status": .dictionary(of: .integer), "by_priority": .dictionary(of: .integer),
])

private struct TaskStatistics {
    private var byStatus: [String: Int] = [:]
    private var byPriority: [String: Int] = [:]
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
        json.object { json in
            json.member("total", total)
            writeMembers(byStatus, of: taskStatus, to: &json)
            json.member("overdue", overdue)
            json.member("due_today", dueToday)
            json.member("my_open", myOpen)
            json.key("by_status")
            json.object { writeMembers(byStatus, of: taskStatus, to: &$0) }
            json.key("by_priority")
            json.object { writeMembers(byPriority, of: taskPriority, to: &$0) }
        }
    }

    /// One member per word, 0 for words that no task has.
    private func writeMembers(_ counts: [String: Int], of words: Enumeration, to json: inout JSONWriter) {
        for word in words.words {
            json.key(word)
            json.write(counts[word, default: 0])
        }
    }
}
