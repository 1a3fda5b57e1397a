public import Foundation
public import SwiftletClient

/// That somebody is told when somebody else misses a check-in or calls for help.
public struct Responder: Codable, Sendable, Hashable, Identifiable {
    public enum Status: String, SafeDecodable {
        /// They have been asked.
        case pending
        case accepted
        case unknown
    }

    public var id: String
    /// Who is looked after.
    public var userId: String
    /// Who is told.
    public var responderId: String
    public var status: Status
    public var createdAt: Date?
    public var acceptedAt: Date?

    public init(id: String, userId: String, responderId: String, status: Status = .pending) {
        self.id = id
        self.userId = userId
        self.responderId = responderId
        self.status = status
    }
}
