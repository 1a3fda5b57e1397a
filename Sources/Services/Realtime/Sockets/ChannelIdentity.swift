import SwiftletAuth

/// Who a channel acts for.
struct ChannelIdentity {
    let user: User
    /// nil for the key of the socket.
    let token: String?
}
