/// The sentences of a mail.
struct MailWords: Sendable {
    let subject: String
    let opening: String
    /// What the link does; nil for a mail without one.
    var action: String?
    let closing: String
    /// Before a code that is an alternative to the link, and before one that stands alone.
    let orCode: String
    let code: String
    let language: MailLanguage
}
