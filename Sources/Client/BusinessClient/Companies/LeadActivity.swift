public import Foundation
import SwiftletClient

/// What was done with one company.
public struct LeadActivity: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var leadId: String?
    public var type: String?
    public var subject: String?
    public var description: String?
    public var activityDate: Date?
    public var createdBy: String?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}
