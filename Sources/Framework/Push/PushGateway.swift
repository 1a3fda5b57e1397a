/// Hands a notification to the service of its device.
package struct PushGateway: Sendable {
    private let apns: APNsClient?
    private let fcm: FCMClient?

    package init(apns: APNsClient?, fcm: FCMClient?) {
        self.apns = apns
        self.fcm = fcm
    }

    package func send(_ notification: PushNotification, to device: PushDevice) async -> PushDelivery {
        switch device.service {
        case .apns, .apnsSandbox:
            await apns?.send(notification, to: device) ?? .failed("APNs is not configured, see APNS_KEY_FILE")
        case .fcm:
            await fcm?.send(notification, to: device) ?? .failed("FCM is not configured, see FCM_SERVICE_ACCOUNT_FILE")
        }
    }
}
