public import SwiftletClient

/// Tasks with their comments and the time spent on them.
public struct TaskService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    /// `my` are those that are assigned to the caller.
    public func tasks(
        my: Bool = false,
        status: TaskStatus? = nil,
        priority: TaskPriority? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<TaskItem> {
        try await client.requestPage(
            .tasks(my: my, status: status, priority: priority, search: search, page: page, limit: limit)
        )
    }

    public func task(_ id: String) async throws -> TaskItem { try await client.request(.task(id)) }

    @discardableResult
    public func createTask(_ task: NewTask) async throws -> TaskItem { try await client.request(.createTask(task)) }

    /// The fields named in `clearing` become empty: `clearing: ["assigned_to"]`.
    @discardableResult
    public func updateTask(
        _ id: String,
        _ changes: TaskChanges,
        clearing: [String] = []
    ) async throws -> TaskItem {
        try await client.request(.updateTask(id, changes, clearing: clearing))
    }

    @discardableResult
    public func completeTask(_ id: String) async throws -> TaskItem {
        try await updateTask(id, TaskChanges(status: .completed, completionPercentage: 100))
    }

    public func deleteTask(_ id: String) async throws { try await client.requestVoid(.deleteTask(id)) }

    public func stats(my: Bool = false) async throws -> TaskStats { try await client.request(.taskStats(my: my)) }

    /// How many of them have changed.
    @discardableResult
    public func updateTasks(_ ids: [String], _ changes: TaskChanges) async throws -> Int {
        try await client.request(.updateTasks(ids, changes), as: BulkResult.self).updated ?? 0
    }

    /// How many of them were there.
    @discardableResult
    public func deleteTasks(_ ids: [String]) async throws -> Int {
        try await client.request(.deleteTasks(ids), as: BulkResult.self).deleted ?? 0
    }

    public func comments(_ task: String) async throws -> [TaskComment] {
        try await client.requestArray(.taskComments(task))
    }

    @discardableResult
    public func addComment(_ task: String, _ content: String) async throws -> TaskComment {
        try await client.request(.addTaskComment(task, content))
    }

    public func timeLogs(_ task: String) async throws -> [TaskTimeLog] {
        try await client.requestArray(.taskTimeLogs(task))
    }

    @discardableResult
    public func logTime(_ task: String, minutes: Int, description: String? = nil) async throws -> TaskTimeLog {
        try await client.request(.logTaskTime(task, minutes: minutes, description: description))
    }
}

private struct BulkResult: Decodable, Sendable {
    let updated: Int?
    let deleted: Int?
}
