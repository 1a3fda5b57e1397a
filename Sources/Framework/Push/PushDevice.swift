/// One installation of an app, as it has registered.
package struct PushDevice: Hashable, Sendable {
    package enum Service: String, Hashable, Sendable {
        case apns
        case apnsSandbox
        case fcm
    }

    package var service: Service
    /// What the service has called it.
    package var token: String
    /// Its bundle id; empty if unknown.
    package var app: String
    /// Seconds since 1970.
    package var registeredAt: Int

    package init(_ service: Service, token: String, app: String = "", registeredAt: Int = 0) {
        self.service = service
        self.token = token
        self.app = app
        self.registeredAt = registeredAt
    }
}
