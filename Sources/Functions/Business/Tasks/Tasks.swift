public import Swiftlet

/// Tasks with comments and tracked time, statistics, and bulk changes.
public let tasks = Function("tasks") {
    taskResource.routes()
    get("/stats", taskStatistics).taking(query: ["my": .flag]).answering(taskStatisticsShape)
    patch("/bulk", updateManyTasks).taking(taskBatch).answering(updatedTasks)
        .refusing(.notFound, .conflict, .unprocessableContent)
    post("/bulk/update", updateManyTasks).taking(taskBatch).answering(updatedTasks)
        .refusing(.notFound, .conflict, .unprocessableContent)
    post("/bulk/delete", deleteManyTasks).taking(taskBatch)
        .answering(.object(["success": .flag, "deleted": .integer])).refusing(.notFound, .conflict)
    comments.routes(.list, .create, at: "/:id/comments")
    timeEntries.routes(.list, .create, at: "/:id/time")
}

let taskResource = Resource("tasks", scope: .tenant) {
    filter("assigned_to")
    filter("status")
    filter("priority")
    filter("project_id")
    filterByCaller("my", on: "assigned_to")
    range("due", on: "due_date")
    search("title", "description")
    enumeration("status", taskStatus)
    enumeration("priority", taskPriority)
    stringArrays("tags", "dependencies", "watchers")
    stringDictionaries("custom_fields")
    required("title")
    readOnly("completed_at", "time_tracked", "comment_count", "attachment_count")
    before(.create, .update, run: setCompletion)
}

private let comments = Resource("task_comments", scope: .tenant) {
    parent(taskResource, by: "task_id", .count("comment_count"))
    author("user_id")
    alias("comment", as: "content")
    required("comment")
}

/// The column `hours` holds minutes; clients read and write it under both names.
private let timeEntries = Resource("time_entries", scope: .tenant) {
    parent(taskResource, by: "task_id", .sum(of: "hours", in: "time_tracked"))
    author("user_id")
    alias("hours", as: "minutes")
    required("hours")
    defaultNow("entry_date")
    before(.create) { change, _ in
        guard change["hours"]?.int ?? 0 >= 0 else { throw change.refusal(of: "hours", "must not be negative") }
    }
}

let taskStatus = Enumeration(
    "todo",
    "in_progress",
    "review",
    "completed",
    "cancelled",
    synonyms: [
        "pending": "todo", "open": "todo", "new": "todo",
        "blocked": "in_progress", "started": "in_progress", "in_review": "review",
        "done": "completed", "complete": "completed", "canceled": "cancelled",
    ]
)

let taskPriority = Enumeration(
    "medium",
    "low",
    "high",
    "urgent",
    synonyms: ["normal": "medium", "critical": "urgent"]
)

/// Completing a task sets `completed_at` and 100 %; reopening it clears `completed_at`.
private func setCompletion(_ change: inout Change, _ context: Context) {
    guard let status = change["status"] else { return }
    if status == "completed" {
        change.setNow("completed_at")
        change["completion_percentage"] = 100
    } else if change.action == .update {
        change["completed_at"] = .null
    }
}
