public import Foundation
import SwiftletClient

/// A task to be made.
public struct NewTask: Encodable, Sendable, Hashable {
    public var title: String
    public var description: String?
    public var status: TaskStatus
    public var priority: TaskPriority
    public var assignedTo: String?
    public var dueDate: Date?
    public var startDate: Date?
    public var estimatedHours: Int?
    public var tags: [String]?
    public var projectId: String?
    public var parentTaskId: String?
    public var customerId: String?

    public init(
        title: String,
        description: String? = nil,
        status: TaskStatus = .todo,
        priority: TaskPriority = .medium,
        assignedTo: String? = nil,
        dueDate: Date? = nil,
        startDate: Date? = nil,
        estimatedHours: Int? = nil,
        tags: [String]? = nil,
        projectId: String? = nil,
        parentTaskId: String? = nil,
        customerId: String? = nil
    ) {
        self.title = title
        self.description = description
        self.status = status
        self.priority = priority
        self.assignedTo = assignedTo
        self.dueDate = dueDate
        self.startDate = startDate
        self.estimatedHours = estimatedHours
        self.tags = tags
        self.projectId = projectId
        self.parentTaskId = parentTaskId
        self.customerId = customerId
    }
}

/// What changes of a task; nil leaves a field as it is.
public struct TaskChanges: Encodable, Sendable, Hashable {
    public var title: String?
    public var description: String?
    public var status: TaskStatus?
    public var priority: TaskPriority?
    public var assignedTo: String?
    public var dueDate: Date?
    public var startDate: Date?
    public var estimatedHours: Int?
    public var actualHours: Int?
    public var completionPercentage: Int?
    public var tags: [String]?

    public init(
        title: String? = nil,
        description: String? = nil,
        status: TaskStatus? = nil,
        priority: TaskPriority? = nil,
        assignedTo: String? = nil,
        dueDate: Date? = nil,
        startDate: Date? = nil,
        estimatedHours: Int? = nil,
        actualHours: Int? = nil,
        completionPercentage: Int? = nil,
        tags: [String]? = nil
    ) {
        self.title = title
        self.description = description
        self.status = status
        self.priority = priority
        self.assignedTo = assignedTo
        self.dueDate = dueDate
        self.startDate = startDate
        self.estimatedHours = estimatedHours
        self.actualHours = actualHours
        self.completionPercentage = completionPercentage
        self.tags = tags
    }
}
