public import Foundation
import SwiftletClient

/// A customer's call for help.
public struct ServiceTicket: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var tenantId: String?
    public var ticketNumber: String?
    public var title: String?
    public var description: String?
    public var status: TicketStatus?
    public var priority: TicketPriority?
    public var category: String?
    public var subcategory: String?
    public var customerId: String?
    public var customerName: String?
    public var locationId: String?
    public var locationName: String?
    public var siteAddress: String?
    public var equipmentId: String?
    public var equipmentName: String?
    public var serialNumber: String?
    public var modelNumber: String?
    public var assignedTechnicianId: String?
    public var assignedTechnicianName: String?
    public var assignedTeamId: String?
    public var scheduledDate: Date?
    public var scheduledTime: String?
    /// In minutes.
    public var estimatedDuration: Int?
    public var actualDuration: Int?
    public var resolution: String?
    public var resolvedAt: Date?
    public var resolvedBy: String?
    public var rootCause: String?
    public var slaDeadline: Date?
    public var responseTime: Int?
    public var firstResponseAt: Date?
    public var source: String?
    public var createdBy: String?
    public var createdAt: Date?
    public var updatedAt: Date?
    public var closedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// How far a ticket is. A company may have words of its own.
public struct TicketStatus: RawRepresentable, Codable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let open = TicketStatus(rawValue: "open")
    public static let assigned = TicketStatus(rawValue: "assigned")
    public static let scheduled = TicketStatus(rawValue: "scheduled")
    public static let enRoute = TicketStatus(rawValue: "en_route")
    public static let onSite = TicketStatus(rawValue: "on_site")
    public static let inProgress = TicketStatus(rawValue: "in_progress")
    public static let onHold = TicketStatus(rawValue: "on_hold")
    public static let waitingParts = TicketStatus(rawValue: "waiting_parts")
    public static let resolved = TicketStatus(rawValue: "resolved")
    public static let completed = TicketStatus(rawValue: "completed")
    public static let closed = TicketStatus(rawValue: "closed")
    public static let cancelled = TicketStatus(rawValue: "cancelled")
}

/// How urgent a ticket is.
public struct TicketPriority: RawRepresentable, Codable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let low = TicketPriority(rawValue: "low")
    public static let medium = TicketPriority(rawValue: "medium")
    public static let high = TicketPriority(rawValue: "high")
    public static let urgent = TicketPriority(rawValue: "urgent")
    public static let critical = TicketPriority(rawValue: "critical")
}
