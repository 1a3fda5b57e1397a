/// How many requests are taken within a time, and of whom together.
public struct RateLimit: Hashable, Sendable {
    /// Whose requests count together.
    public enum Partition: String, Hashable, Sendable, CaseIterable {
        /// An IP address; of IPv6 the /64 network.
        case address
        /// A signed-in user; an address where nobody is signed in.
        case account
        /// A tenant; an account where there is none.
        case tenant
        case everyone
    }

    public let count: Int
    /// Whole seconds.
    public let window: Duration
    public let partition: Partition

    /// From one request on; the window is from a second to a day.
    public init(_ count: Int, per window: Duration, by partition: Partition = .account) {
        self.count = min(max(count, 1), 1_000_000_000)
        self.window = .seconds(min(max(window.components.seconds, 1), 86_400))
        self.partition = partition
    }

    var windowMilliseconds: Int { Int(window.components.seconds) * 1000 }
}
