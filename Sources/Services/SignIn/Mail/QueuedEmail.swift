/// An email as it waits in the database until it is sent. It is of no use to who reads it there: link and code are
/// derived from ``nonce`` and a key that only the servers know.
package struct QueuedEmail: Codable, Sendable {
    /// nil for a ``notice``.
    let purpose: MailPurpose?
    let userID: String
    let address: String
    let nonce: String
    /// Whether the link is bound to a ``CodeChallenge``.
    var isBound = false
    /// See ``Email/redirect``.
    var redirect: String?
    /// What the email tells, if it asks for nothing: there is no token then, and ``nonce`` only names it.
    var notice: Notice?
}
