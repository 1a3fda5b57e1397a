public import CheckInsClient
public import Foundation
import SwiftletClient

/// Sends nothing: gives the results that are set, and remembers what it was asked.
///
///     let notifications = MockNotificationClient()
///     notifications.sendPushNotificationResult = .failure(.userNotFound)
public final class MockNotificationClient: NotificationClient {
    private struct State: Sendable {
        var send = Result<NotificationResult, NotificationError>.success(
            NotificationResult(messageId: "message", sentAt: Date())
        )
        var schedule = Result<NotificationResult, NotificationError>.success(
            NotificationResult(messageId: "message", sentAt: Date())
        )
        var cancel = Result<Void, NotificationError>.success(())
        var sent: [NotificationRequest] = []
        var scheduled: [NotificationRequest] = []
        var cancelled: [String] = []
    }

    private let state = Locked(State())

    public init() {}

    public var sendPushNotificationResult: Result<NotificationResult, NotificationError> {
        get { state.withLock(\.send) }
        set { state.withLock { $0.send = newValue } }
    }

    public var scheduleNotificationResult: Result<NotificationResult, NotificationError> {
        get { state.withLock(\.schedule) }
        set { state.withLock { $0.schedule = newValue } }
    }

    public var cancelNotificationResult: Result<Void, NotificationError> {
        get { state.withLock(\.cancel) }
        set { state.withLock { $0.cancel = newValue } }
    }

    public var sent: [NotificationRequest] { state.withLock(\.sent) }
    public var scheduled: [NotificationRequest] { state.withLock(\.scheduled) }
    /// The messages' ids.
    public var cancelled: [String] { state.withLock(\.cancelled) }

    @discardableResult
    public func sendPushNotification(_ request: NotificationRequest) async throws -> NotificationResult {
        try state.withLock {
            $0.sent.append(request)
            return try $0.send.get()
        }
    }

    @discardableResult
    public func scheduleNotification(
        _ request: NotificationRequest,
        deliveryTime: Date
    ) async throws -> NotificationResult {
        try state.withLock {
            $0.scheduled.append(request)
            return try $0.schedule.get()
        }
    }

    public func cancelNotification(messageId: String) async throws {
        try state.withLock {
            $0.cancelled.append(messageId)
            try $0.cancel.get()
        }
    }
}
