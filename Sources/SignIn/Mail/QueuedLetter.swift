/// A letter as it waits in the database until it is sent. It is of no use to who reads it there: link and code are
/// derived from ``nonce`` and a key that only the servers know.
package struct QueuedLetter: Codable, Sendable {
    let purpose: MailPurpose
    let userID: String
    let address: String
    let nonce: String
    /// Whether the link is bound to a ``CodeChallenge``.
    let isBound: Bool
    /// See ``Letter/redirect``.
    var redirect: String?
}
