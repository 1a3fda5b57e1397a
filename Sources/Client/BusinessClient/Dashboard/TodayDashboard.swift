public import Foundation
import SwiftletClient

/// What the caller has to do today, and how the business is going. Days are days in UTC.
///
/// A number is nil if the server could not find it out at the moment; `degraded` then names what failed.
public struct TodayDashboard: Codable, Sendable, Hashable {
    /// `2025-03-15`
    public var date: String?
    /// The caller's open tasks; `openTasks` counts everybody's.
    public var taskCount: Int?
    public var overdueCount: Int?
    public var appointmentCount: Int?
    public var pendingApprovalCount: Int?
    public var metrics: Metrics?
    public var openTasks: Int?
    public var dueTodayTasks: Int?
    public var openTickets: Int?
    public var overdueInvoices: Int?
    public var pipelineValue: Double?
    public var monthlyRevenue: Double?
    public var newLeadsToday: Int?
    public var upcomingAppointments: Int?
    public var tasks: [TaskSummary]?
    public var overdueTasks: [TaskSummary]?
    public var appointments: [Appointment]?
    public var recentActivities: [ActivityItem]?
    public var pendingApprovals: [Approval]?
    public var degraded: [String]?

    public init() {}

    /// Of today.
    public struct Metrics: Codable, Sendable, Hashable {
        public var newLeads: Int?
        public var todayRevenue: Double?
        public var dealsWon: Int?

        public init() {}
    }

    /// As much of a task as a list shows.
    public struct TaskSummary: Codable, Sendable, Hashable, Identifiable {
        public var id: String
        public var title: String
        public var status: TaskStatus
        public var priority: TaskPriority
        public var dueDate: Date?

        public init(id: String, title: String, status: TaskStatus, priority: TaskPriority) {
            self.id = id
            self.title = title
            self.status = status
            self.priority = priority
        }
    }

    /// A visit or a call that is planned.
    public struct Appointment: Codable, Sendable, Hashable, Identifiable {
        public var id: String
        public var type: String?
        public var title: String?
        public var entityType: String?
        public var entityId: String?
        public var scheduledDate: Date?

        public init(id: String) {
            self.id = id
        }
    }

    /// Something that waits for somebody's consent.
    public struct Approval: Codable, Sendable, Hashable, Identifiable {
        public var id: String
        public var type: String?
        public var title: String?
        public var proposalNumber: String?
        public var totalAmount: Double?
        public var createdBy: String?
        public var createdAt: Date?

        public init(id: String) {
            self.id = id
        }
    }
}
