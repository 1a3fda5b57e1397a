public import Swiftlet

/// Tasks with comments and tracked time, statistics, and bulk changes.
public let tasks = Function("tasks") {
    taskResource.routes()
    Get("/stats", taskStatistics).taking(query: ["my": .flag, "tz": .text]).answering(taskStatisticsSchema)
    Patch("/bulk", updateManyTasks).taking(taskBatch).answering(updatedTasks)
        .refusing(.notFound, .conflict, .unprocessableContent)
    Post("/bulk/update", updateManyTasks).taking(taskBatch).answering(updatedTasks)
        .refusing(.notFound, .conflict, .unprocessableContent)
    Post("/bulk/delete", deleteManyTasks).taking(taskBatch)
        .answering(.object(["success": .flag, "deleted": .integer])).refusing(.notFound, .conflict)
    comments.routes(.list, .create, at: "/:id/comments")
    timeEntries.routes(.list, .create, at: "/:id/time")
}

let taskResource = Resource("tasks", scope: .tenant) {
    Filter("assigned_to")
    Filter("status")
    Filter("priority")
    Filter("project_id")
    FilterByCaller("my", on: "assigned_to")
    RangeFilter("due", on: "due_date")
    Search("title", "description")
    Enumerated("status", taskStatus)
    Enumerated("priority", taskPriority)
    StringArrays("tags", "dependencies", "watchers")
    StringDictionaries("custom_fields")
    Required("title")
    ReadOnly("completed_at", "time_tracked", "comment_count", "attachment_count")
    Before(.create, .update, run: setCompletion)
}

private let comments = Resource("task_comments", scope: .tenant) {
    ChildOf(taskResource, by: "task_id", .count("comment_count"))
    AuthoredBy("user_id")
    Alias("comment", as: "content")
    Required("comment")
}

/// The column `hours` holds minutes; clients read and write it under both names.
private let timeEntries = Resource("time_entries", scope: .tenant) {
    ChildOf(taskResource, by: "task_id", .sum(of: "hours", in: "time_tracked"))
    AuthoredBy("user_id")
    Alias("hours", as: "minutes")
    Required("hours")
    DefaultNow("entry_date")
    Before(.create) { change, _ in
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
