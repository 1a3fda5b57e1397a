/// How webhooks are delivered.
package struct WebhookSettings: Sendable {
    /// `WEBHOOK_ALLOW_PRIVATE`: whether endpoints may have private, link-local and loopback addresses, and plain http.
    package var allowsPrivateAddresses = false
    /// `WEBHOOK_TIMEOUT`: for one attempt, the whole answer included.
    package var timeout: Duration = .seconds(15)
    /// `WEBHOOK_PAUSE_AFTER`: how long an endpoint may fail before it is paused.
    package var pausesAfter: Duration = .seconds(3 * 86_400)
    /// `WEBHOOK_RETENTION`: how long deliveries stay in the log, those that wait or are held included.
    package var retention: Duration = .seconds(7 * 86_400)

    package init() {}
}
