public import Foundation
import SwiftletClient

/// A ticket to be opened.
public struct NewTicket: Encodable, Sendable, Hashable {
    public var title: String
    public var description: String?
    public var priority: TicketPriority
    public var category: String?
    public var customerId: String?
    public var equipmentId: String?
    public var scheduledDate: Date?

    public init(
        title: String,
        description: String? = nil,
        priority: TicketPriority = .medium,
        category: String? = nil,
        customerId: String? = nil,
        equipmentId: String? = nil,
        scheduledDate: Date? = nil
    ) {
        self.title = title
        self.description = description
        self.priority = priority
        self.category = category
        self.customerId = customerId
        self.equipmentId = equipmentId
        self.scheduledDate = scheduledDate
    }
}

/// What changes of a ticket; nil leaves a field as it is.
public struct TicketChanges: Encodable, Sendable, Hashable {
    public var title: String?
    public var description: String?
    public var status: TicketStatus?
    public var priority: TicketPriority?
    public var category: String?
    public var assignedTechnicianId: String?
    public var scheduledDate: Date?
    public var resolution: String?

    public init(
        title: String? = nil,
        description: String? = nil,
        status: TicketStatus? = nil,
        priority: TicketPriority? = nil,
        category: String? = nil,
        assignedTechnicianId: String? = nil,
        scheduledDate: Date? = nil,
        resolution: String? = nil
    ) {
        self.title = title
        self.description = description
        self.status = status
        self.priority = priority
        self.category = category
        self.assignedTechnicianId = assignedTechnicianId
        self.scheduledDate = scheduledDate
        self.resolution = resolution
    }
}
