public import Foundation
import SwiftletClient

/// Something that the user should know.
public struct NotificationItem: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var type: String?
    public var title: String?
    public var message: String?
    public var entityType: String?
    public var entityId: String?
    public var isRead: Bool?
    public var createdAt: Date?

    public init(id: String) {
        self.id = id
    }
}
