/// What is shown on a device.
package struct PushNotification: Hashable, Sendable {
    /// A UUID, the same at each attempt: Apple does not deliver one twice.
    package var id: String
    package var title: String
    package var body: String
    /// For the app.
    package var data: [String: String]
    package var badge: Int?
    package var sound: String? = "default"
    /// A newer one replaces what is shown with the same id; at most 64 bytes.
    package var collapseID: String?
    /// Seconds since 1970, after which nobody needs it any more; at most 30 days ahead.
    package var expiresAt: Int?
    /// Whether it may wake the device.
    package var isUrgent = true

    package init(id: String, title: String, body: String, data: [String: String] = [:]) {
        self.id = id
        self.title = title
        self.body = body
        self.data = data
    }
}
