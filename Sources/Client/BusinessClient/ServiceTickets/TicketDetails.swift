public import Foundation
import SwiftletClient

/// A line of the history of a ticket.
public struct TicketUpdate: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var ticketId: String?
    public var type: String?
    public var content: String?
    public var oldValue: String?
    public var newValue: String?
    public var userId: String?
    public var userName: String?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// A file of a ticket.
public struct TicketAttachment: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var ticketId: String?
    public var fileName: String?
    public var contentType: String?
    /// In bytes.
    public var size: Int?
    public var uploadedBy: String?
    public var uploadedByName: String?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// The tickets in numbers.
public struct TicketStats: Codable, Sendable, Hashable {
    public var total: Int
    public var open: Int
    public var unassigned: Int
    public var overdue: Int
    public var scheduledToday: Int
    public var byStatus: [String: Int]
    public var byPriority: [String: Int]

    public init(
        total: Int,
        open: Int,
        unassigned: Int,
        overdue: Int,
        scheduledToday: Int,
        byStatus: [String: Int],
        byPriority: [String: Int]
    ) {
        self.total = total
        self.open = open
        self.unassigned = unassigned
        self.overdue = overdue
        self.scheduledToday = scheduledToday
        self.byStatus = byStatus
        self.byPriority = byPriority
    }
}

/// The words that the app knows how to draw.
public struct TicketVocabulary: Codable, Sendable, Hashable {
    public var statuses: [TicketStatus]
    public var priorities: [TicketPriority]
    public var updateTypes: [String]

    public init(statuses: [TicketStatus], priorities: [TicketPriority], updateTypes: [String]) {
        self.statuses = statuses
        self.priorities = priorities
        self.updateTypes = updateTypes
    }
}

/// How much a technician has to do.
public struct DispatchLoad: Codable, Sendable, Hashable {
    public var technicianId: String
    public var technicianName: String?
    public var openTickets: Int?
    public var urgentTickets: Int?
    public var scheduledToday: Int?

    public init(technicianId: String) {
        self.technicianId = technicianId
    }
}
