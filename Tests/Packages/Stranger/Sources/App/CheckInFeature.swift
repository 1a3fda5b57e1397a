import CheckInsClient
import CheckInsClientMocks
import Foundation
import SwiftletClient

/// A feature that knows the protocols alone, as with swift-dependencies.
struct CheckInFeature {
    var checkIns: any CheckInClient
    var alerts: any AlertClient
    var notifications: any NotificationClient

    func checkIn() async throws -> Date {
        let result: CheckInResult = try await checkIns.processCheckIn(nextCheckInInterval: 86_400)
        let status: CheckInStatus = try await checkIns.getCheckInStatus()
        return status.nextCheckInTime ?? result.nextCheckInTime
    }

    func callForHelp(from person: String) async throws -> String {
        do {
            let alert: AlertResult = try await alerts.triggerAlert()
            let request = NotificationRequest(recipientId: person, title: "Help", body: "Please call", data: [:])
            let sent: NotificationResult = try await notifications.sendPushNotification(request)
            let later = try await notifications.scheduleNotification(request, deliveryTime: sent.sentAt + 60)
            try await notifications.cancelNotification(messageId: later.messageId)
            try await alerts.cancelAlert(alertId: alert.alertId)
            return alert.status
        } catch let error as AlertError {
            switch error {
            case .unauthorized, .userNotFound: return "sign in"
            case .alreadyActive: return try await alerts.getActiveAlert()?.status ?? "none"
            case .notActive, .processingFailed: return "again"
            case .unknown(let cause): return cause.localizedDescription
            }
        } catch let error as NotificationError {
            switch error {
            case .unauthorized, .userNotFound, .invalidInput, .sendFailed: return "not sent"
            case .unknown(let cause): return cause.localizedDescription
            }
        }
    }

    static func live(_ url: URL, _ auth: any AuthProvider) -> CheckInFeature {
        let functions = FunctionsAdapter(url: url, auth: auth)
        return CheckInFeature(
            checkIns: CheckInAdapter(functions: functions),
            alerts: AlertAdapter(functions: functions),
            notifications: NotificationAdapter(functions: functions)
        )
    }

    static var preview: CheckInFeature {
        let notifications = MockNotificationClient()
        notifications.sendPushNotificationResult = .failure(.userNotFound)
        let alerts = MockAlertClient()
        alerts.triggerAlertResult = .success(AlertResult(alertId: "1", activatedAt: Date(), status: "active"))
        return CheckInFeature(checkIns: MockCheckInClient(), alerts: alerts, notifications: notifications)
    }
}

/// Firebase's side of it.
struct TokenProvider: AuthProvider {
    func getIdToken() async throws -> String { "token" }
}
