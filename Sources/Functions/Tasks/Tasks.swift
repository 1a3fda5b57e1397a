public import Swiftlet

/// Work to be done: tasks with comments and tracked time, lists by assignee, statistics, and changes in bulk.
public let tasks = Function("tasks") {
    taskResource.routes()
    get("/stats", taskStatistics)
    patch("/bulk", updateManyTasks)
    post("/bulk/update", updateManyTasks)
    post("/bulk/delete", deleteManyTasks)
    comments.routes(.list, .create, at: "/:id/comments")
    timeEntries.routes(.list, .create, at: "/:id/time")
}

let taskResource = Resource("tasks", scope: .tenant) {
    filter("assigned_to")
    filter("status")
    filter("priority")
    filter("project_id")
    ownRows("my", on: "assigned_to")
    range("due", on: "due_date")
    search("title", "description")
    required("title")
    enumeration("status", taskStatus)
    enumeration("priority", taskPriority)
    texts("tags", "dependencies", "watchers")
    textMembers("custom_fields")
    readOnly("completed_at", "time_tracked", "comment_count", "attachment_count")
    before(.create, .update, run: stampCompletion)
}

private let comments = Resource("task_comments", scope: .tenant) {
    parent(taskResource, by: "task_id", .count("comment_count"))
    author("user_id")
    alias("comment", as: "content")
    required("comment")
}

/// The column `hours` holds minutes, whatever its name says; both names are read and written.
private let timeEntries = Resource("time_entries", scope: .tenant) {
    parent(taskResource, by: "task_id", .sum(of: "hours", in: "time_tracked"))
    author("user_id")
    alias("hours", as: "minutes")
    required("hours")
    stampedNow("entry_date")
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

/// Completing a task sets its time and 100 %; reopening clears the time.
@Sendable private func stampCompletion(_ change: inout Change, _ context: Context) {
    guard let status = change["status"] else { return }
    if status == "completed" {
        change.setNow("completed_at")
        change["completion_percentage"] = 100
    } else if change.action == .update {
        change["completed_at"] = .null
    }
}
