public import Foundation
public import SwiftletClient

/// Sends messages to people's devices. The app uses this protocol; ``NotificationAdapter`` is the real one.
public protocol NotificationClient: Sendable {
    func send(_ notification: PushNotification) async throws -> SentNotification
    func schedule(_ notification: PushNotification, at time: Date) async throws -> ScheduledNotification
    /// Only the sender's own, and only before it is sent.
    func cancel(messageID: String) async throws
}

/// A message for somebody's devices.
public struct PushNotification: Encodable, Sendable, Hashable {
    public var userId: String
    /// Up to 200 characters.
    public var title: String
    /// Up to 4000 characters.
    public var body: String
    /// For the app that gets it.
    public var data: [String: String]?

    public init(userId: String, title: String, body: String, data: [String: String]? = nil) {
        self.userId = userId
        self.title = title
        self.body = body
        self.data = data
    }
}

/// Accepted for delivery.
public struct SentNotification: Codable, Sendable, Hashable {
    public var messageId: String
    public var sentAt: Date

    public init(messageId: String, sentAt: Date) {
        self.messageId = messageId
        self.sentAt = sentAt
    }
}

public struct ScheduledNotification: Codable, Sendable, Hashable {
    public var messageId: String
    public var scheduledFor: Date

    public init(messageId: String, scheduledFor: Date) {
        self.messageId = messageId
        self.scheduledFor = scheduledFor
    }
}

public enum NotificationError: Error, Sendable, Equatable {
    case notSignedIn
    /// There is nobody of that id, or nobody whom the caller may write to.
    case recipientNotFound
    /// It was sent already, or is somebody else's.
    case messageNotFound
    /// The fields concerned, and why.
    case invalid([String: String])
    case tooMany(retryAfter: TimeInterval?)
    case failed(APIError)
}

extension NotificationError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .notSignedIn: "Please sign in to send messages."
        case .recipientNotFound: "This person cannot be reached."
        case .messageNotFound: "This message was sent already."
        case .invalid(let fields): APIError.validation(fields).errorDescription
        case .tooMany: "You have sent many messages. Please wait a minute."
        case .failed(let error): error.errorDescription
        }
    }
}
