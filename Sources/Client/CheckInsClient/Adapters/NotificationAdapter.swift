public import Foundation
public import SwiftletClient

/// ``NotificationClient`` over the functions `send-push-notification`, `schedule-notification`, `cancel-notification`.
public struct NotificationAdapter: NotificationClient {
    private let functions: FunctionsAdapter

    public init(functions: FunctionsAdapter) { self.functions = functions }

    public func send(_ notification: PushNotification) async throws -> SentNotification {
        try await translating(notFound: .recipientNotFound) {
            try await functions.callFunction(name: "send-push-notification", request: notification)
        }
    }

    public func schedule(_ notification: PushNotification, at time: Date) async throws -> ScheduledNotification {
        let request = ScheduleRequest(notification: notification, deliveryTime: time)
        return try await translating(notFound: .recipientNotFound) {
            try await functions.callFunction(name: "schedule-notification", request: request)
        }
    }

    public func cancel(messageID: String) async throws {
        try await translating(notFound: .messageNotFound) {
            let _: NoValues = try await functions.callFunction(
                name: "cancel-notification",
                request: ["messageId": messageID]
            )
        }
    }

    private func translating<Value>(
        notFound: NotificationError,
        _ call: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await call()
        } catch let error as APIError {
            throw switch error {
            case .unauthorized: NotificationError.notSignedIn
            case .notFound: notFound
            case .validation(let fields): NotificationError.invalid(fields)
            case .rateLimited(let seconds): NotificationError.tooMany(retryAfter: seconds)
            default: NotificationError.failed(error)
            }
        }
    }
}

private struct ScheduleRequest: Encodable, Sendable {
    let notification: PushNotification
    let deliveryTime: Date

    private enum CodingKeys: String, CodingKey { case deliveryTime }

    func encode(to encoder: any Encoder) throws {
        try notification.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(deliveryTime, forKey: .deliveryTime)
    }
}
