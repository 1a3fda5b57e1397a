public import Foundation
import SwiftletClient

/// What somebody says of a task.
public struct TaskComment: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var taskId: String
    public var userId: String
    public var content: String
    public var userName: String?
    public var createdAt: Date?

    public init(id: String, taskId: String, userId: String, content: String) {
        self.id = id
        self.taskId = taskId
        self.userId = userId
        self.content = content
    }
}

/// Time that was spent on a task.
public struct TaskTimeLog: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var taskId: String
    public var userId: String
    public var minutes: Int
    public var description: String?
    public var createdAt: Date?

    public init(id: String, taskId: String, userId: String, minutes: Int) {
        self.id = id
        self.taskId = taskId
        self.userId = userId
        self.minutes = minutes
    }
}

/// The tasks in numbers.
public struct TaskStats: Codable, Sendable, Hashable {
    public var total: Int
    public var todo: Int
    public var inProgress: Int
    public var review: Int
    public var completed: Int
    public var cancelled: Int
    /// Due before today (in UTC), and not done.
    public var overdue: Int
    public var dueToday: Int?
    public var myOpen: Int?

    public init(total: Int, todo: Int, inProgress: Int, review: Int, completed: Int, cancelled: Int, overdue: Int) {
        self.total = total
        self.todo = todo
        self.inProgress = inProgress
        self.review = review
        self.completed = completed
        self.cancelled = cancelled
        self.overdue = overdue
    }
}
