/// What has become of one attempt. The reasons name neither tokens nor texts, so they may be stored and logged.
package enum PushDelivery: Hashable, Sendable {
    case delivered
    /// The installation is gone.
    case removeToken(String)
    /// Another attempt may succeed: not before `after`, where the service says so.
    case retry(after: Duration?, String)
    /// No other attempt will succeed.
    case failed(String)
}
