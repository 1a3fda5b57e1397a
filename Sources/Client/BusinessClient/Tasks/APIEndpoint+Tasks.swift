public import Foundation
public import SwiftletClient

extension APIEndpoint {
    /// The newest first. `my` are those that are assigned to the caller; a search looks at titles and descriptions.
    public static func tasks(
        my: Bool = false,
        status: TaskStatus? = nil,
        priority: TaskPriority? = nil,
        assignedTo: String? = nil,
        dueAfter: Date? = nil,
        dueBefore: Date? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("my", my)
        query.add("status", status?.rawValue)
        query.add("priority", priority?.rawValue)
        query.add("assignedTo", assignedTo)
        query.add("due_after", dueAfter)
        query.add("due_before", dueBefore)
        query.add("search", search)
        return APIEndpoint(.get, path("tasks"), query: query.items)
    }

    public static func task(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("tasks", id)) }

    public static func createTask(_ task: NewTask) -> APIEndpoint { create(path("tasks"), task) }

    public static func updateTask(_ id: String, _ changes: TaskChanges, clearing: [String] = []) -> APIEndpoint {
        update(.patch, path("tasks", id), changes, clearing: clearing, repetition: .keyed)
    }

    public static func deleteTask(_ id: String) -> APIEndpoint { delete(path("tasks", id)) }

    public static func taskStats(my: Bool = false) -> APIEndpoint {
        var query = Query()
        query.add("my", my)
        return APIEndpoint(.get, path("tasks", "stats"), query: query.items)
    }

    /// At most 500.
    public static func updateTasks(_ ids: [String], _ changes: TaskChanges) -> APIEndpoint {
        struct Body: Encodable, Sendable {
            let taskIds: [String]
            let patch: TaskChanges
        }
        let body = APIEndpoint.Body.json(Body(taskIds: ids, patch: changes))
        return APIEndpoint(.patch, path("tasks", "bulk"), body: body, repetition: .keyed)
    }

    /// At most 500.
    public static func deleteTasks(_ ids: [String]) -> APIEndpoint {
        APIEndpoint(.post, path("tasks", "bulk", "delete"), body: .json(["task_ids": ids]), repetition: .safe)
    }

    public static func taskComments(_ task: String, page: Int = 1, limit: Int = 25) -> APIEndpoint {
        APIEndpoint(.get, path("tasks", task, "comments"), query: Query.page(page, limit).items)
    }

    public static func addTaskComment(_ task: String, _ content: String) -> APIEndpoint {
        create(path("tasks", task, "comments"), ["content": content], readBack: .list)
    }

    public static func taskTimeLogs(_ task: String, page: Int = 1, limit: Int = 25) -> APIEndpoint {
        APIEndpoint(.get, path("tasks", task, "time"), query: Query.page(page, limit).items)
    }

    public static func logTaskTime(_ task: String, minutes: Int, description: String? = nil) -> APIEndpoint {
        struct Body: Encodable, Sendable {
            let minutes: Int
            let description: String?
        }
        return create(path("tasks", task, "time"), Body(minutes: minutes, description: description), readBack: .list)
    }
}
