public import Foundation
public import SwiftletClient

/// Something that somebody has to do.
public struct TaskItem: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var title: String
    public var status: TaskStatus
    public var priority: TaskPriority
    public var tenantId: String?
    public var description: String?
    public var assignedTo: String?
    public var createdBy: String?
    public var projectId: String?
    public var parentTaskId: String?
    public var dueDate: Date?
    public var startDate: Date?
    public var completedAt: Date?
    public var createdAt: Date?
    public var updatedAt: Date?
    public var estimatedHours: Int?
    public var actualHours: Int?
    public var completionPercentage: Int?
    /// In minutes.
    public var timeTracked: Int?
    public var commentCount: Int?
    public var attachmentCount: Int?
    public var dependencies: [String]?
    public var watchers: [String]?
    public var tags: [String]?
    public var customFields: [String: String]?

    public init(id: String, title: String, status: TaskStatus = .todo, priority: TaskPriority = .medium) {
        self.id = id
        self.title = title
        self.status = status
        self.priority = priority
    }
}

/// How far a task is.
public enum TaskStatus: String, SafeDecodable, CaseIterable {
    case todo
    case inProgress = "in_progress"
    case review
    case completed
    case cancelled
    /// A word of a newer server.
    case unknown
}

/// How much a task matters.
public enum TaskPriority: String, SafeDecodable, CaseIterable {
    case low
    case medium
    case high
    case urgent
    /// A word of a newer server.
    case unknown
}
