package import SwiftletPostgres

/// A text as it waits in the database until it is sent. It is of no use to who reads it there: the code is derived from
/// ``nonce`` and a key that only the servers know.
package struct QueuedText: Codable, Sendable {
    let purpose: MailPurpose
    let userID: String
    let number: String
    let nonce: String
    /// The second factor whose challenge it answers; `nonce` is the challenge then. Missing in others.
    var factorID: String?
    /// How the client wants it; missing for a plain text.
    var channel: TextChannel?
}

/// What a code is sent by. The operator's hook is told, and does it or not.
enum TextChannel: String, Codable, Sendable {
    case sms
    case whatsApp = "whatsapp"
}

/// Where texts wait until a ``TextSender`` sends them, on whichever server. A text is stored by the transaction that
/// makes its code, so that neither is there without the other, and the time of a request does not tell whether there
/// was one to send.
package struct TextQueue: Sendable {
    /// The statement that stores a text.
    let insertion: @Sendable (QueuedText) throws -> SQL
    /// Called after the commit.
    let announce: @Sendable () -> Void

    package init(
        insertion: @escaping @Sendable (QueuedText) throws -> SQL,
        announce: @escaping @Sendable () -> Void
    ) {
        self.insertion = insertion
        self.announce = announce
    }
}
