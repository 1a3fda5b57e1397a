/// What a token is shown for.
package enum TokenUse: Sendable {
    case access
    /// To who asks the database itself whether the session still exists.
    case account
    /// The same, and the token's time may be over: it still tells whose session shall end.
    case signOut
}
