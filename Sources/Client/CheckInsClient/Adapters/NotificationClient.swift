public import Foundation

/// Sends messages to people's devices. The app uses this protocol; ``NotificationAdapter`` is the real one. All throw
/// ``NotificationError``s.
public protocol NotificationClient: Sendable {
    @discardableResult
    func sendPushNotification(_ request: NotificationRequest) async throws -> NotificationResult
    /// The time of the result is the one that it is sent at.
    @discardableResult
    func scheduleNotification(
        _ request: NotificationRequest,
        deliveryTime: Date
    ) async throws -> NotificationResult
    /// Only the sender's own, and only before it is sent.
    func cancelNotification(messageId: String) async throws
}

/// A message for somebody's devices.
public struct NotificationRequest: Sendable, Hashable {
    public var recipientId: String
    /// Up to 200 characters.
    public var title: String
    /// Up to 4000 characters.
    public var body: String
    /// For the app that gets it.
    public var data: [String: String]?

    public init(recipientId: String, title: String, body: String, data: [String: String]? = nil) {
        self.recipientId = recipientId
        self.title = title
        self.body = body
        self.data = data
    }
}

/// Accepted for delivery.
public struct NotificationResult: Sendable, Hashable {
    public var messageId: String
    public var sentAt: Date

    public init(messageId: String, sentAt: Date) {
        self.messageId = messageId
        self.sentAt = sentAt
    }
}

public enum NotificationError: Error, Sendable {
    /// Nobody is signed in.
    case unauthorized
    /// There is nobody of that id, or nobody whom the caller may write to.
    case userNotFound
    /// A text is missing or too long, or the time is past.
    case invalidInput
    /// The server failed.
    case sendFailed
    /// Anything else, as an ``APIError`` where it comes from the server.
    case unknown(any Error)
}

extension NotificationError: Equatable {
    /// Of unknown ones those are equal that people read alike.
    public static func == (one: NotificationError, other: NotificationError) -> Bool {
        switch (one, other) {
        case (.unauthorized, .unauthorized), (.userNotFound, .userNotFound), (.invalidInput, .invalidInput),
            (.sendFailed, .sendFailed):
            true
        case (.unknown(let one), .unknown(let other)): one.localizedDescription == other.localizedDescription
        default: false
        }
    }
}

extension NotificationError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unauthorized: "Please sign in to send messages."
        case .userNotFound: "This person cannot be reached."
        case .invalidInput: "This message cannot be sent: please check its text and time."
        case .sendFailed: "The message could not be sent. Please try again later."
        case .unknown(let error): error.localizedDescription
        }
    }
}
