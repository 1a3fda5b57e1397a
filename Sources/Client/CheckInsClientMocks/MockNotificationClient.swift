public import Foundation
public import CheckInsClient

/// Sends nothing, and remembers what it was asked to send.
public actor MockNotificationClient: NotificationClient {
    public private(set) var sent: [PushNotification] = []
    public private(set) var scheduled: [String: Date] = [:]
    private var failure: NotificationError?
    private var count = 0

    public init() {}

    /// Lets every call fail from now on; nil lets them succeed again.
    public func fail(with error: NotificationError?) { failure = error }

    public func send(_ notification: PushNotification) throws -> SentNotification {
        if let failure { throw failure }
        sent.append(notification)
        return SentNotification(messageId: nextID(), sentAt: Date())
    }

    public func schedule(_ notification: PushNotification, at time: Date) throws -> ScheduledNotification {
        if let failure { throw failure }
        guard time > Date() else { throw NotificationError.invalid(["deliveryTime": "must be in the future"]) }
        let id = nextID()
        scheduled[id] = time
        return ScheduledNotification(messageId: id, scheduledFor: time)
    }

    public func cancel(messageID: String) throws {
        if let failure { throw failure }
        guard scheduled.removeValue(forKey: messageID) != nil else { throw NotificationError.messageNotFound }
    }

    private func nextID() -> String {
        count += 1
        return "message-\(count)"
    }
}
