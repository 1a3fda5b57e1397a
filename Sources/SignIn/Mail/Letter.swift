/// A mail to be sent: its purpose, recipient and one-time token. ``Mail`` is its text.
struct Letter: Sendable {
    let purpose: MailPurpose
    let recipient: MailAddress
    let token: OneTimeToken
    let userID: String
    /// Where the link redirects to, already checked by ``RedirectRules``; nil means `SITE_URL`.
    var redirect: String?
}
