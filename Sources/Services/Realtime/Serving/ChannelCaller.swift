import SwiftletAuth

/// Who may use channels at all.
enum ChannelCaller {
    /// Others may sign in users, but nobody who passes the row policies. To PostgreSQL, `none` means the role of the
    /// connection itself.
    static func admit(_ user: User) -> Result<User, TokenError> {
        if user.isExternal, user.isServiceRole { return .failure(.wrongIssuer) }
        return user.role == "none" ? .failure(.invalidClaims) : .success(user)
    }
}
