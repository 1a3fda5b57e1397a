public import Foundation
import SwiftletClient

/// A call, a mail, a meeting, a note: what was done with a company.
public struct ActivityItem: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var type: String?
    public var title: String?
    public var description: String?
    public var entityType: String?
    public var entityId: String?
    public var userId: String?
    public var userName: String?
    public var businessRecordId: String?
    public var companyName: String?
    public var scheduledDate: Date?
    public var activityDate: Date?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// An activity to be logged.
public struct NewActivity: Encodable, Sendable, Hashable {
    public var type: String
    public var subject: String
    public var description: String?
    /// The company. It is left out where the path names it.
    public var businessRecordId: String?
    /// When it was done; nil for what is planned.
    public var activityDate: Date?
    public var scheduledDate: Date?
    public var isCompleted: Bool?

    public init(
        type: String,
        subject: String,
        description: String? = nil,
        businessRecordId: String? = nil,
        activityDate: Date? = nil,
        scheduledDate: Date? = nil,
        isCompleted: Bool? = nil
    ) {
        self.type = type
        self.subject = subject
        self.description = description
        self.businessRecordId = businessRecordId
        self.activityDate = activityDate
        self.scheduledDate = scheduledDate
        self.isCompleted = isCompleted
    }
}

/// What changes of an activity; nil leaves a field as it is.
public struct ActivityChanges: Encodable, Sendable, Hashable {
    public var type: String?
    public var subject: String?
    public var description: String?
    public var activityDate: Date?
    public var scheduledDate: Date?

    public init(
        type: String? = nil,
        subject: String? = nil,
        description: String? = nil,
        activityDate: Date? = nil,
        scheduledDate: Date? = nil
    ) {
        self.type = type
        self.subject = subject
        self.description = description
        self.activityDate = activityDate
        self.scheduledDate = scheduledDate
    }
}
