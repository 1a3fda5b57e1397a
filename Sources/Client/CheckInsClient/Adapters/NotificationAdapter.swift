public import Foundation
public import SwiftletClient

/// ``NotificationClient`` over the functions `send-push-notification`, `schedule-notification`, `cancel-notification`.
public struct NotificationAdapter: NotificationClient {
    private let functions: FunctionsAdapter

    public init(functions: FunctionsAdapter) { self.functions = functions }

    @discardableResult
    public func sendPushNotification(_ request: NotificationRequest) async throws -> NotificationResult {
        try await translating {
            let sent: Sent = try await functions.callFunction(
                name: "send-push-notification",
                request: Message(request, deliveryTime: nil)
            )
            return NotificationResult(messageId: sent.messageId, sentAt: sent.sentAt)
        }
    }

    @discardableResult
    public func scheduleNotification(
        _ request: NotificationRequest,
        deliveryTime: Date
    ) async throws -> NotificationResult {
        try await translating {
            let scheduled: Scheduled = try await functions.callFunction(
                name: "schedule-notification",
                request: Message(request, deliveryTime: deliveryTime)
            )
            return NotificationResult(messageId: scheduled.messageId, sentAt: scheduled.scheduledFor)
        }
    }

    /// Throws ``NotificationError/unknown(_:)`` with ``APIError/notFound`` for a message that was sent already.
    public func cancelNotification(messageId: String) async throws {
        try await translating(notFound: .unknown(APIError.notFound)) {
            let _: NoValues = try await functions.callFunction(
                name: "cancel-notification",
                request: ["messageId": messageId]
            )
        }
    }

    private func translating<Value>(
        notFound: NotificationError = .userNotFound,
        _ call: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await call()
        } catch let error as APIError {
            throw switch error {
            case .unauthorized: NotificationError.unauthorized
            case .notFound: notFound
            case .validation: NotificationError.invalidInput
            case .server: NotificationError.sendFailed
            default: NotificationError.unknown(error)
            }
        }
    }

    /// As the functions spell it.
    private struct Message: Encodable, Sendable {
        let userId: String
        let title: String
        let body: String
        let data: [String: String]?
        let deliveryTime: Date?

        init(_ request: NotificationRequest, deliveryTime: Date?) {
            userId = request.recipientId
            title = request.title
            body = request.body
            data = request.data
            self.deliveryTime = deliveryTime
        }
    }

    private struct Sent: Decodable, Sendable {
        let messageId: String
        let sentAt: Date
    }

    private struct Scheduled: Decodable, Sendable {
        let messageId: String
        let scheduledFor: Date
    }
}
